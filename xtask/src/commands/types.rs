//! The types of the wire, which the clients and the page get from the protocol's schema.

use anyhow::Result;

use super::{python, schemas, typescript};
use crate::tools;

/// Writes the types anew, or compares them.
pub(crate) fn types(check: bool) -> Result<()> {
    schemas::build()?;
    typescript::types(check)?;
    tools::require_python_packages()?;
    python::types(check)
}
