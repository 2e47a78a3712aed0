//! Connections to PostgreSQL with TLS.

use std::path::{Path, PathBuf};

use postgres_fixture::Cluster;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use super::postgres::{refusal, server_on};
use crate::harness::game;

/// A certificate authority, with its certificate in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(directory: &Path, name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let file = directory.join(name);
        std::fs::write(&file, params.self_signed(&key).unwrap().pem()).unwrap();
        Self { issuer: Issuer::new(params, key), file }
    }

    /// Issues a certificate to the only server of a cluster.
    fn issue(&self, cluster: &Cluster, name: &str) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let server = cluster.primary();
        server.use_tls(&certificate.pem(), &key.serialize_pem());
        let before = server.sql("postgres", "SELECT pg_conf_load_time()");
        server.reload();
        server.wait_for_sql("postgres", &format!("SELECT pg_conf_load_time() > '{before}'"), "t");
    }
}

/// The number of connections from TCP, and of those with TLS.
const CONNECTIONS: &str = "SELECT count(*) > 0, bool_and(ssl) FROM pg_stat_activity
    JOIN pg_stat_ssl USING (pid) WHERE application_name = 'adamant/n1'";

#[tokio::test]
async fn a_node_checks_the_certificate_and_the_name() {
    let directory = tempfile::tempdir().unwrap();
    let [ours, other] =
        ["ours.pem", "other.pem"].map(|name| Authority::new(directory.path(), name));
    let cluster = Cluster::start(0);
    let url = cluster.url(&cluster.create_database()).replace("127.0.0.1", "localhost");
    let with = |authority: &Authority| {
        format!("{url}?sslmode=verify-full&sslrootcert={}", authority.file.display())
    };

    let error = refusal(&with(&ours), "n1").await;
    assert!(error.contains("does not support TLS"), "{error}");
    ours.issue(&cluster, "db.example");
    let error = refusal(&with(&ours), "n1").await;
    assert!(error.contains("is for another name") && error.contains("db.example"), "{error}");
    ours.issue(&cluster, "localhost");
    let error = refusal(&with(&other), "n1").await;
    assert!(error.contains("is not trusted") && error.contains("sslrootcert"), "{error}");
    let error = refusal(&format!("{url}?sslmode=require"), "n1").await;
    assert!(error.contains("\"require\"") && error.contains("verify-full"), "{error}");

    let server = server_on(&with(&ours), &["--unreplicated"]).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    assert_eq!(cluster.primary().sql("postgres", CONNECTIONS), "t|t");
}
