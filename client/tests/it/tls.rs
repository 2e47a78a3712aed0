//! TLS over a real socket: the certificates that the client trusts.

use std::{io::Write as _, sync::Arc};

use adamant_client::{Client, Config, ConnectError};
use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

use crate::{Connection, welcome};

#[tokio::test]
async fn only_trusted_certificates_open_a_session() {
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
            // The first client does not trust this server and disconnects.
            let Ok(stream) = acceptor.accept(tcp).await else { continue };
            let mut call = Connection::accept(stream).await;
            let hello = call.receive().await;
            call.send(&welcome(&hello, "[]")).await;
            return call.receive_close().await;
        }
    });

    let mut config = Config::new(address.parse().unwrap());
    let distrust = Client::connect(config.clone()).await.unwrap_err();
    assert!(matches!(distrust, ConnectError::Tls { .. }), "{distrust:?}");
    let told = distrust.to_string();
    assert!(told.contains(&address) && told.contains("not signed by an authority"), "{told}");
    config.extra_ca = Some(file.path().to_owned());
    let (client, _inbox, _) = Client::connect(config).await.unwrap();
    client.close().await;
    assert_eq!(server.await.unwrap(), 1000);
}

/// Returns the error of connecting to a port that gives this answer.
async fn error_from(scheme: &str, answer: Vec<u8>, extra_ca: Option<&std::path::Path>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("{scheme}://localhost:{}", listener.local_addr().unwrap().port());
    let server = tokio::spawn(async move {
        let (mut tcp, _) = listener.accept().await.unwrap();
        let mut asked = [0; 4096];
        let _ = tcp.read(&mut asked).await.unwrap();
        tcp.write_all(&answer).await.unwrap();
        // The client has the answer before the connection ends.
        while tcp.read(&mut asked).await.is_ok_and(|read| read > 0) {}
    });
    let mut config = Config::new(address.parse().unwrap());
    config.extra_ca = extra_ca.map(Into::into);
    let told = Client::connect(config).await.unwrap_err().to_string();
    server.abort();
    assert!(told.contains(&address), "{told}");
    told
}

#[tokio::test]
async fn handshake_errors_are_described_in_a_sentence() {
    let plain = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_vec();
    let told = error_from("wss", plain, None).await;
    assert!(told.contains("does not speak TLS"), "{told}");

    let alert = vec![0x15, 3, 3, 0, 2, 2, 50];
    let told = error_from("ws", alert, None).await;
    assert!(told.contains("wss://"), "{told}");

    for status in [502, 503, 504] {
        let answer = format!("HTTP/1.1 {status} Bad\r\ncontent-length: 6\r\n\r\n<html>");
        let told = error_from("ws", answer.into_bytes(), None).await;
        assert!(told.contains("a proxy cannot reach the server"), "{told}");
        assert!(told.contains(&status.to_string()), "{told}");
    }
    let full = r#"{"code":"overloaded","message":"no place is free"}"#;
    let answer = format!("HTTP/1.1 503 Full\r\ncontent-length: {}\r\n\r\n{full}", full.len());
    let told = error_from("ws", answer.into_bytes(), None).await;
    assert!(told.ends_with("at present: no place is free"), "{told}");
}

#[tokio::test]
async fn a_certificate_of_an_authority_is_rejected_with_the_reason() {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let made = params.self_signed(&key).unwrap();
    let secret = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.der().clone()], secret)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("wss://localhost:{}", listener.local_addr().unwrap().port());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(made.pem().as_bytes()).unwrap();
    let server = tokio::spawn(async move {
        let (tcp, _) = listener.accept().await.unwrap();
        TlsAcceptor::from(Arc::new(tls)).accept(tcp).await.map(drop)
    });
    let mut config = Config::new(address.parse().unwrap());
    config.extra_ca = Some(file.path().to_owned());
    let told = Client::connect(config).await.unwrap_err().to_string();
    assert!(told.contains("CA:FALSE") && !told.contains("CaUsedAsEndEntity"), "{told}");
    assert!(server.await.unwrap().is_err());
}

#[tokio::test]
async fn a_file_without_certificates_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut config = Config::new("wss://localhost:1".parse().unwrap());
    config.extra_ca = Some(file.path().to_owned());
    let error = Client::connect(config).await.unwrap_err().to_string();
    assert!(error.contains(file.path().to_str().unwrap()), "{error}");
}
