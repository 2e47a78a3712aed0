//! Over a real socket with TLS: whom the client trusts.

use std::{io::Write as _, sync::Arc};

use adamant_client::{Client, Config, ConnectError};
use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::peer::{Call, welcome};

#[tokio::test]
async fn only_certificates_that_are_trusted_open_a_session() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("wss://localhost:{}", listener.local_addr().unwrap().port());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(made.cert.pem().as_bytes()).unwrap();
    let server = tokio::spawn(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            // The first client does not trust this server and breaks off.
            let Ok(stream) = acceptor.accept(tcp).await else { continue };
            let mut call = Call::accept(stream).await;
            let hello = call.hear().await;
            call.say(&welcome(&hello, "[]")).await;
            return call.hear_goodbye().await;
        }
    });

    let mut config = Config::new(address.parse().unwrap());
    let distrust = Client::connect(config.clone()).await.unwrap_err();
    assert!(matches!(distrust, ConnectError::Unreachable(_)), "{distrust:?}");
    config.extra_ca = Some(file.path().to_owned());
    let (client, _inbox, _) = Client::connect(config).await.unwrap();
    client.close().await;
    assert_eq!(server.await.unwrap(), 1000);
}

#[tokio::test]
async fn a_file_without_certificates_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut config = Config::new("wss://localhost:1".parse().unwrap());
    config.extra_ca = Some(file.path().to_owned());
    let error = Client::connect(config).await.unwrap_err().to_string();
    assert!(error.contains(file.path().to_str().unwrap()), "{error}");
}
