//! One transaction on either database. Statements are written once, with `$1` parameters.

use std::{future::Future, str::FromStr};

use futures::FutureExt as _;
use rusqlite::types::{FromSqlError, ValueRef};
use serde::de::DeserializeOwned;
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use super::{
    journal::StoreError,
    postgres::{Failure, Transaction},
};

#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{0:?}")]
    Postgres(Failure),
    #[error("a row has the value {0}")]
    Unreadable(String),
}

impl From<Failure> for SqlError {
    fn from(failure: Failure) -> Self {
        Self::Postgres(failure)
    }
}

impl From<FromSqlError> for SqlError {
    fn from(error: FromSqlError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

pub(crate) type SqlResult<T> = Result<T, SqlError>;

impl From<SqlError> for StoreError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Postgres(failure) => failure.into_error(),
            SqlError::Sqlite(_) | SqlError::Unreadable(_) => Self::Failed(error.to_string().into()),
        }
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Postgres(failure) => failure,
            SqlError::Sqlite(_) | SqlError::Unreadable(_) => Self::fault(error.to_string()),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Truth(bool),
    Integer(i64),
    Text(Box<str>),
    Bytes(Box<[u8]>),
}

macro_rules! value_from {
    ($($from:ty => |$value:ident| $to:expr),+ $(,)?) => {
        $(impl From<$from> for Value { fn from($value: $from) -> Self { $to } })+
    };
}

value_from! {
    bool => |value| Self::Truth(value),
    i64 => |value| Self::Integer(value),
    u32 => |value| Self::Integer(value.into()),
    u8 => |value| Self::Integer(value.into()),
    // Numbers of the server are times, sizes and counts, none of which comes near the sign bit.
    u64 => |value| Self::Integer(i64::try_from(value).unwrap_or(i64::MAX)),
    usize => |value| Self::Integer(i64::try_from(value).unwrap_or(i64::MAX)),
    &str => |value| Self::Text(value.into()),
    String => |value| Self::Text(value.into()),
    &String => |value| Self::Text(value.as_str().into()),
    Box<str> => |value| Self::Text(value),
    &[u8] => |value| Self::Bytes(value.into()),
    Vec<u8> => |value| Self::Bytes(value.into()),
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::store::sql::Value::from($value)),*] };
}
pub(crate) use params;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row(Vec<Value>);

pub(crate) trait FromValue: Sized {
    fn from_value(value: &mut Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($to:ty: $pattern:pat => $value:expr),+ $(,)?) => {
        $(impl FromValue for $to {
            fn from_value(value: &mut Value) -> Option<Self> {
                match value { $pattern => $value, _ => None }
            }
        })+
    };
}

from_value! {
    i64: Value::Integer(number) => Some(*number),
    u64: Value::Integer(number) => u64::try_from(*number).ok(),
    u32: Value::Integer(number) => u32::try_from(*number).ok(),
    u8: Value::Integer(number) => u8::try_from(*number).ok(),
    usize: Value::Integer(number) => usize::try_from(*number).ok(),
    Box<str>: Value::Text(text) => Some(std::mem::take(text)),
    String: Value::Text(text) => Some(std::mem::take(text).into()),
    Box<[u8]>: Value::Bytes(bytes) => Some(std::mem::take(bytes)),
    Vec<u8>: Value::Bytes(bytes) => Some(std::mem::take(bytes).into()),
}

impl FromValue for bool {
    fn from_value(value: &mut Value) -> Option<Self> {
        match value {
            Value::Truth(value) => Some(*value),
            Value::Integer(value) => Some(*value != 0),
            Value::Null | Value::Text(_) | Value::Bytes(_) => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &mut Value) -> Option<Self> {
        if *value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl Row {
    /// The values of all columns that were not read yet.
    pub(super) fn values(&self) -> &[Value] {
        &self.0
    }

    /// The values that are text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|value| match value {
            Value::Text(text) => Some(&**text),
            _ => None,
        })
    }

    pub(crate) fn is_null(&self, column: usize) -> bool {
        self.0.get(column).is_none_or(|value| *value == Value::Null)
    }

    /// Reads a column, once.
    pub(crate) fn get<T: FromValue>(&mut self, column: usize) -> SqlResult<T> {
        let mut missing = Value::Null;
        let value = self.0.get_mut(column).unwrap_or(&mut missing);
        T::from_value(value).ok_or_else(|| SqlError::Unreadable(format!("{value:?}")))
    }

    /// Reads a column of text as a name, an id or another type with a text form.
    pub(crate) fn parse<T: FromStr>(&mut self, column: usize) -> SqlResult<T> {
        let text: Box<str> = self.get(column)?;
        text.parse().map_err(|_| SqlError::Unreadable(format!("{text:?}")))
    }

    pub(crate) fn parse_optional<T: FromStr>(&mut self, column: usize) -> SqlResult<Option<T>> {
        let Some(text) = self.get::<Option<Box<str>>>(column)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| SqlError::Unreadable(format!("{text:?}")))
    }

    pub(crate) fn json<T: DeserializeOwned>(&mut self, column: usize) -> SqlResult<T> {
        let text: Box<str> = self.get(column)?;
        serde_json::from_str(&text).map_err(|_| SqlError::Unreadable(format!("{text:?}")))
    }
}

/// An open transaction, or a connection that only reads. On SQLite every future is ready at once.
pub(crate) trait Sql {
    /// What PostgreSQL needs after a SELECT whose rows the transaction is about to change. SQLite
    /// has one writer.
    const FOR_UPDATE: &'static str;

    /// The same after a SELECT whose rows must stay until the transaction ends.
    const KEEP: &'static str;

    /// What PostgreSQL needs to pass over rows that another transaction is about to change.
    const SKIP_LOCKED: &'static str;

    fn query(
        &self,
        statement: &str,
        params: &[Value],
    ) -> impl Future<Output = SqlResult<Vec<Row>>> + Send;

    fn execute(
        &self,
        statement: &str,
        params: &[Value],
    ) -> impl Future<Output = SqlResult<u64>> + Send;

    /// Waits until no other transaction decides about any of these keys.
    fn lock(&self, keys: Vec<String>) -> impl Future<Output = SqlResult<()>> + Send;

    /// Waits until no other transaction has locked the key, and keeps others from it until the end.
    fn share(&self, key: String) -> impl Future<Output = SqlResult<()>> + Send;

    /// Takes back all that the transaction has written, for a decision that refuses.
    fn undo(&self) -> impl Future<Output = SqlResult<()>> + Send;

    async fn first(&self, statement: &str, params: &[Value]) -> SqlResult<Option<Row>> {
        Ok(self.query(statement, params).await?.into_iter().next())
    }

    async fn count(&self, statement: &str, params: &[Value]) -> SqlResult<usize> {
        self.first(statement, params).await?.map_or(Ok(0), |mut row| row.get(0))
    }

    async fn exists(&self, statement: &str, params: &[Value]) -> SqlResult<bool> {
        Ok(self.first(statement, params).await?.is_some())
    }
}

#[derive(Debug)]
pub(crate) struct Embedded<'a>(pub(crate) &'a rusqlite::Connection);

impl Embedded<'_> {
    fn rows(&self, statement: &str, params: &[Value]) -> SqlResult<Vec<Row>> {
        let mut found = Vec::new();
        self.rows_until_error(statement, params, &mut found).map(|()| found)
    }

    /// Adds the rows that can be read before the first that cannot.
    pub(super) fn rows_until_error(
        &self,
        statement: &str,
        params: &[Value],
        found: &mut Vec<Row>,
    ) -> SqlResult<()> {
        let mut statement = self.0.prepare_cached(statement)?;
        bind(&mut statement, params)?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            let value = |column| {
                Ok(match row.get_ref(column)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => Value::Integer(number),
                    ValueRef::Text(text) => {
                        let text = str::from_utf8(text);
                        Value::Text(text.map_err(|error| unreadable(&error))?.into())
                    }
                    ValueRef::Blob(bytes) => Value::Bytes(bytes.into()),
                    ValueRef::Real(real) => return Err(unreadable(&real)),
                })
            };
            found.push(Row((0..columns).map(value).collect::<SqlResult<_>>()?));
        }
        Ok(())
    }

    fn changed(&self, statement: &str, params: &[Value]) -> SqlResult<u64> {
        let mut statement = self.0.prepare_cached(statement)?;
        bind(&mut statement, params)?;
        Ok(statement.raw_execute()? as u64)
    }
}

fn unreadable(what: &dyn std::fmt::Display) -> SqlError {
    SqlError::Unreadable(what.to_string())
}

/// Binds parameters. SQLite takes `$1` for a name, and numbers names as they come.
fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Value]) -> SqlResult<()> {
    for index in 1..=statement.parameter_count() {
        let number = statement.parameter_name(index).and_then(|name| name.get(1..)?.parse().ok());
        let value = number.and_then(|number: usize| params.get(number.checked_sub(1)?));
        match value {
            Some(Value::Null) => statement.raw_bind_parameter(index, rusqlite::types::Null)?,
            Some(Value::Truth(value)) => statement.raw_bind_parameter(index, value)?,
            Some(Value::Integer(value)) => statement.raw_bind_parameter(index, value)?,
            Some(Value::Text(value)) => statement.raw_bind_parameter(index, &**value)?,
            Some(Value::Bytes(value)) => statement.raw_bind_parameter(index, &**value)?,
            None => return Err(unreadable(&"a statement lacks a parameter")),
        }
    }
    Ok(())
}

impl Sql for Embedded<'_> {
    const FOR_UPDATE: &'static str = "";
    const KEEP: &'static str = "";
    const SKIP_LOCKED: &'static str = "";

    fn query(
        &self,
        statement: &str,
        params: &[Value],
    ) -> impl Future<Output = SqlResult<Vec<Row>>> + Send {
        std::future::ready(self.rows(statement, params))
    }

    fn execute(
        &self,
        statement: &str,
        params: &[Value],
    ) -> impl Future<Output = SqlResult<u64>> + Send {
        std::future::ready(self.changed(statement, params))
    }

    fn lock(&self, _keys: Vec<String>) -> impl Future<Output = SqlResult<()>> + Send {
        std::future::ready(Ok(()))
    }

    fn share(&self, _key: String) -> impl Future<Output = SqlResult<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Each decision of the writer has a savepoint of its own.
    fn undo(&self) -> impl Future<Output = SqlResult<()>> + Send {
        std::future::ready(self.changed(UNDO, &[]).map(drop))
    }
}

pub(super) const SAVEPOINT: &str = "SAVEPOINT decision";

/// Takes back what was written since [`SAVEPOINT`].
pub(super) const UNDO: &str = "ROLLBACK TO decision";

/// Ends [`SAVEPOINT`]: what was written stands if the transaction is committed.
pub(super) const RELEASE: &str = "RELEASE decision";

/// The outcome of a future that is ready: on SQLite all are.
pub(super) fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("SQLite answers at once")
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Truth(value) => value.to_sql(kind, out),
            Self::Integer(value) if *kind == Type::BOOL => (*value != 0).to_sql(kind, out),
            Self::Integer(value) if *kind == Type::INT4 => i32::try_from(*value)?.to_sql(kind, out),
            Self::Integer(value) if *kind == Type::INT2 => i16::try_from(*value)?.to_sql(kind, out),
            Self::Integer(value) => value.to_sql(kind, out),
            Self::Text(value) => (&**value).to_sql(kind, out),
            Self::Bytes(value) => (&**value).to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub(super) fn rows_of(rows: &[tokio_postgres::Row]) -> SqlResult<Vec<Row>> {
    rows.iter().map(row_of).collect()
}

fn row_of(row: &tokio_postgres::Row) -> SqlResult<Row> {
    let value = |column: usize| {
        let read = match *row.columns()[column].type_() {
            Type::BOOL => row.try_get::<_, Option<bool>>(column).map(Into::into),
            Type::INT2 => row.try_get::<_, Option<i16>>(column).map(|n| n.map(i64::from).into()),
            Type::INT4 => row.try_get::<_, Option<i32>>(column).map(|n| n.map(i64::from).into()),
            Type::INT8 => row.try_get::<_, Option<i64>>(column).map(Into::into),
            Type::BYTEA => row.try_get::<_, Option<&[u8]>>(column).map(Into::into),
            _ => row.try_get::<_, Option<&str>>(column).map(Into::into),
        };
        read.map_err(|error| Failure::from(error).into())
    };
    Ok(Row((0..row.len()).map(value).collect::<SqlResult<_>>()?))
}

impl Sql for Transaction {
    const FOR_UPDATE: &'static str = " FOR UPDATE";
    const KEEP: &'static str = " FOR KEY SHARE";
    const SKIP_LOCKED: &'static str = " FOR UPDATE SKIP LOCKED";

    async fn query(&self, statement: &str, params: &[Value]) -> SqlResult<Vec<Row>> {
        let params: Vec<_> = params.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        rows_of(&Self::query(self, statement, &params).await?)
    }

    async fn execute(&self, statement: &str, params: &[Value]) -> SqlResult<u64> {
        let params: Vec<_> = params.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        Ok(Self::execute(self, statement, &params).await?)
    }

    /// All transactions lock in the same order, so that they do not wait for each other.
    async fn lock(&self, mut keys: Vec<String>) -> SqlResult<()> {
        keys.sort_unstable();
        keys.dedup();
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended(key, 2))
             FROM unnest($1::text[]) WITH ORDINALITY AS keys (key, place) ORDER BY place";
        Self::query(self, lock, &[&keys]).await?;
        Ok(())
    }

    async fn share(&self, key: String) -> SqlResult<()> {
        let lock = "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 2))";
        Self::query(self, lock, &[&key]).await?;
        Ok(())
    }

    async fn undo(&self) -> SqlResult<()> {
        Ok(self.start_over().await?)
    }
}
