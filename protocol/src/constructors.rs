//! Constructors of messages. Messages get further fields in time, so programs build them from the
//! fields that they must have, and set others afterwards.

/// Defines a constructor, whose arguments stand before the `;`. What stands behind it has a default.
macro_rules! constructor {
    ($name:ident {
        $($field:ident: $type:ty),* $(,)? $(; $($other:ident $(= $default:expr)?),+ $(,)?)?
    }) => {
        impl $name {
            /// Returns a value with these fields. Fields that may be left out have their defaults.
            pub fn new($($field: $type),*) -> Self {
                Self {
                    $($field,)*
                    $($($other: $crate::constructors::default!($($default)?),)+)?
                }
            }
        }
    };
}

/// The default of a field.
macro_rules! default {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}

pub(crate) use {constructor, default};
