//! Which names are too much like another to stand beside it.

use adamant_protocol::UserName;

/// Names that speak for the server or for nobody. Only the house has its own, one for
/// each of its levels.
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

/// What is left of a name when look-alikes are made equal: names with the same skeleton are not
/// told apart at a glance. Case makes no difference to begin with, so `i` looks like `1` and `l`
/// by way of `I`. Pairs of letters that look like one are compared as pairs: `m` is spelt out as
/// `rn`, so that it does not matter where one pair ends and the next begins.
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

/// Whether nobody may take the name, or one that looks like it.
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
    fn names_that_differ_stay_apart() {
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
    fn some_names_are_nobody_s() {
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
