//! Values of a transfer as PostgreSQL sends and takes them.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::store::sqlite::Value;

impl ToSql for Value {
    fn to_sql(
        &self,
        column: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, column) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Integer(number), &Type::BOOL) => (*number != 0).to_sql(column, out),
            (Self::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(column, out),
            (Self::Integer(number), _) => number.to_sql(column, out),
            (Self::Text(text), _) => text.to_sql(column, out),
            (Self::Bytes(bytes), _) => bytes.to_sql(column, out),
        }
    }

    fn accepts(column: &Type) -> bool {
        matches!(*column, Type::BOOL | Type::INT4 | Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(column: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *column {
            Type::BOOL => Self::Integer(bool::from_sql(column, raw)?.into()),
            Type::INT4 => Self::Integer(i32::from_sql(column, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(column, raw)?),
            Type::BYTEA => Self::Bytes(Vec::from_sql(column, raw)?),
            _ => Self::Text(String::from_sql(column, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(column: &Type) -> bool {
        <Self as ToSql>::accepts(column)
    }
}
