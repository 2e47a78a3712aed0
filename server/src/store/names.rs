//! Names among others, names that look too much like another, and reserved names.

use adamant_protocol::UserName;

/// Names that suggest the server, its staff or no user at all. Only the server's own bots have such
/// names.
const RESERVED: [&str; 22] = [
    "adamant",
    "admin",
    "administrator",
    "anonymous",
    "everybody",
    "everyone",
    "house",
    "house-easy",
    "house-hard",
    "mod",
    "moderator",
    "nobody",
    "null",
    "official",
    "operator",
    "owner",
    "root",
    "server",
    "staff",
    "superuser",
    "support",
    "system",
];

/// Returns whether a user is among some names.
pub(crate) fn has_name(names: &[UserName], user: &UserName) -> bool {
    names.iter().any(|name| name.is_same(user.as_str()))
}

/// Returns the skeleton of a name (Unicode TS 39): names that look alike have the same one. Names
/// ignore case, so that `i` looks like `1` and `l` because `I` does. A letter that looks like a
/// pair is replaced by the pair, such as `m` by `rn`.
pub(crate) fn skeleton(name: &UserName) -> String {
    let mut skeleton = String::with_capacity(2 * name.as_str().len());
    for letter in name.as_str().chars() {
        match letter.to_ascii_lowercase() {
            '0' => skeleton.push('o'),
            '1' | 'i' => skeleton.push('l'),
            '-' => skeleton.push('_'),
            'm' => skeleton.push_str("rn"),
            'w' => skeleton.push_str("vv"),
            other => skeleton.push(other),
        }
    }
    skeleton
}

/// Returns whether the name is reserved or looks like a reserved one.
pub(crate) fn is_reserved(name: &UserName) -> bool {
    let taken = skeleton(name);
    RESERVED.iter().any(|reserved| {
        let reserved: UserName = reserved.parse().expect("reserved names are names");
        skeleton(&reserved) == taken
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        skeleton(&name.parse().unwrap())
    }

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        let alike: [&[&str]; 8] = [
            &["bob", "BOB", "b0b", "bOb", "B0B"],
            &["bill", "b1ll", "bi11", "BIll", "b1l1", "BILL"],
            &["alice", "al1ce", "aIice", "ALICE", "allce"],
            &["mary", "rnary", "MARY", "RNary"],
            &["will", "vvill", "VVILL", "vVi1l"],
            &["ann_bob", "ann-bob", "ANN-BOB"],
            &["vvv", "wv", "vw"],
            &["rnrn", "mm", "rnm", "mrn"],
        ];
        for group in alike {
            for name in group {
                assert_eq!(of(name), of(group[0]), "{name} and {}", group[0]);
            }
        }
    }

    #[test]
    fn different_names_have_different_skeletons() {
        let apart = [
            ("ann", "anna"),
            ("ann1", "ann2"),
            ("annbob", "ann_bob"),
            ("guest-1001", "guest-1010"),
            ("mary", "nary"),
            ("bob", "bod"),
            ("s5", "ss"),
        ];
        for (one, other) in apart {
            assert_ne!(of(one), of(other), "{one} and {other}");
        }
    }

    #[test]
    fn reserved_names_and_their_lookalikes_are_reserved() {
        for name in [
            "house",
            "H0USE",
            "house-easy",
            "House_Hard",
            "admin",
            "ADM1N",
            "Adrnin",
            "system",
            "root",
            "r00t",
        ] {
            assert!(is_reserved(&name.parse().unwrap()), "{name}");
        }
        for name in ["houses", "admin2", "ann", "sysop"] {
            assert!(!is_reserved(&name.parse().unwrap()), "{name}");
        }
    }
}
