//! The front door: one port for WebSocket and HTTP, with a deadline on everything that comes
//! before a session.

use std::{net::SocketAddr, pin::Pin, sync::Arc};

use axum::{Extension, Router};
use futures::{StreamExt as _, stream::FuturesUnordered};
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::yield_now,
    time::{Instant, sleep_until, timeout, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{
    admitted::Admitted,
    app_state::AppState,
    limits::{
        ConnectionControl, ConnectionLimits, DownloadPlaces, Handshake, Handshakes, HttpRateLimits,
    },
    painter::Painter,
    port::{AcceptedSocket, Acceptor, BindError, Certificate, Exhausted},
    routes,
};
use crate::{
    config::{NetworkConfig, TlsConfig},
    limits::{
        CLOSE_MAX, DOWNLOADS_PER_ADDRESS_MAX, HANDSHAKE_MAX, HEAD_BYTES_MAX, SPARE_MAX,
        STOPPING_REQUESTS_MAX,
    },
    runtime::{fd_limits::FdBudget, logging::RateLimitedLog, metrics::ConnectionRefusal},
    session::Services,
};

/// What is served on the port.
#[derive(Debug)]
pub(crate) struct Server {
    tls: Option<Certificate>,
    admitted: Admitted,
}

impl Server {
    /// Loads the certificate and the settings of the port.
    pub(crate) fn load(network: &NetworkConfig) -> Result<Self, BindError> {
        let tls = network.tls.as_ref().map(TlsConfig::load).transpose()?.map(Certificate::new);
        Ok(Self { tls, admitted: Admitted::new(network) })
    }

    /// The hosts, origins and proxies in force.
    pub(crate) const fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// The certificate in force, if connections are encrypted.
    pub(crate) const fn certificate(&self) -> Option<&Certificate> {
        self.tls.as_ref()
    }

    /// Accepts connections until the server is asked to stop, and then answers monitors until it
    /// has ended.
    pub(crate) async fn serve(
        self,
        listener: TcpListener,
        services: Arc<Services>,
        budget: FdBudget,
    ) {
        let lifecycle = services.lifecycle.clone();
        let exhausted = Exhausted::default();
        let mut acceptor =
            Acceptor::new(listener, exhausted.clone(), Arc::clone(&services.metrics));
        let tls = self.tls.clone();
        let app = Arc::new(self.app_state(services, &budget, exhausted));
        let (router, bare) =
            (routes::router(Arc::clone(&app)), routes::overload_router(Arc::clone(&app)));
        loop {
            let accepted = tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => break,
                accepted = acceptor.accept() => accepted,
            };
            let (stream, peer) = match accepted {
                AcceptedSocket::Connection(stream, peer) => (stream, peer),
                AcceptedSocket::OnSpare(stream, peer) => {
                    app.handshakes.make_room();
                    // There is one spare descriptor, so these requests are served one at a time.
                    let served = serve_one(stream, peer, bare.clone(), tls.clone());
                    drop(timeout(SPARE_MAX, served).await);
                    continue;
                }
            };
            let permit = match app.admit(peer.ip()) {
                Ok(permit) => permit,
                Err(why) => {
                    app.refuse(why, &peer.ip());
                    continue;
                }
            };
            if permit.displaced_another() {
                app.services.metrics.refuse_connection(ConnectionRefusal::HandshakesFull);
                // The other one lets go of its descriptor before the next connection needs one.
                yield_now().await;
            }
            let (router, tls) = (router.clone(), tls.clone());
            let (soft, hard) = (lifecycle.soft.clone(), lifecycle.hard.clone());
            let room = permit.displaced();
            // Boxed, because a task is copied several times before it has its final place.
            let connection = serve_connection((stream, peer), router, tls, soft, permit);
            lifecycle.tasks.spawn(async move {
                tokio::select! {
                    biased;
                    () = hard.cancelled() => {}
                    () = room => {}
                    () = connection => {}
                }
            });
        }
        let stopping = answer_while_stopping(acceptor, routes::stopping_router(app), tls);
        lifecycle.ended.run_until_cancelled(stopping).await;
    }

    fn app_state(
        self,
        services: Arc<Services>,
        budget: &FdBudget,
        exhausted: Exhausted,
    ) -> AppState {
        let limits = services.limits.clone();
        let is_enforced = limits.get().enforced;
        AppState {
            connections: ConnectionLimits::new(limits.clone(), budget.most_connections),
            handshakes: Handshakes::new(limits.clone(), budget.handshakes),
            downloads: DownloadPlaces::new(is_enforced.then_some(DOWNLOADS_PER_ADDRESS_MAX)),
            admitted: self.admitted,
            exhausted,
            refusal_log: RateLimitedLog::default(),
            rate_limits: HttpRateLimits::new(&limits),
            painter: Painter::new(services.work.parallelism()),
            certificate: self.tls,
            services,
        }
    }
}

/// Serves a connection, once it is encrypted if it is to be.
fn serve_connection(
    (stream, peer): (TcpStream, SocketAddr),
    router: Router,
    tls: Option<Certificate>,
    soft: CancellationToken,
    permit: Handshake,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let deadline = Instant::now() + HANDSHAKE_MAX;
    let Some(tls) = tls else {
        return Box::pin(serve_http(stream, peer, router, soft, deadline, permit));
    };
    Box::pin(async move {
        if let Some(stream) = encrypt(&tls.acceptor(), stream, deadline).await {
            serve_http(stream, peer, router, soft, deadline, permit).await;
        }
    })
}

/// Answers monitors and load balancers while the server stops, and refuses everybody else.
async fn answer_while_stopping(mut acceptor: Acceptor, router: Router, tls: Option<Certificate>) {
    let mut answers = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            Some(_) = answers.next(), if !answers.is_empty() => {}
            accepted = acceptor.accept(), if answers.len() < STOPPING_REQUESTS_MAX => {
                let (AcceptedSocket::Connection(stream, peer)
                    | AcceptedSocket::OnSpare(stream, peer)) = accepted;
                let answer = serve_one(stream, peer, router.clone(), tls.clone());
                answers.push(timeout(SPARE_MAX, answer));
            }
        }
    }
}

/// Answers the one request of a connection, with a router that opens no session.
async fn serve_one(stream: TcpStream, peer: SocketAddr, router: Router, tls: Option<Certificate>) {
    async fn answer<S>(stream: S, peer: SocketAddr, router: Router) -> hyper::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = TowerToHyperService::new(router.layer(Extension(peer)));
        let mut connection = http1::Builder::new();
        connection.keep_alive(false).serve_connection(TokioIo::new(stream), service).await
    }
    let answered = match tls {
        None => answer(stream, peer, router).await,
        Some(tls) => match encrypt(&tls.acceptor(), stream, Instant::now() + SPARE_MAX).await {
            Some(stream) => answer(stream, peer, router).await,
            None => return,
        },
    };
    if let Err(error) = answered {
        tracing::debug!(%peer, %error, "connection failed");
    }
}

async fn encrypt(
    tls: &TlsAcceptor,
    stream: TcpStream,
    deadline: Instant,
) -> Option<tokio_rustls::server::TlsStream<TcpStream>> {
    match timeout_at(deadline, tls.accept(stream)).await {
        Ok(Ok(stream)) => Some(stream),
        Ok(Err(error)) => {
            tracing::debug!(%error, "TLS handshake failed");
            None
        }
        Err(_) => None,
    }
}

/// Serves HTTP on one connection until it ends or is upgraded. After an upgrade the session has
/// its own task. The deadline bounds all requests of a connection, so that a client that does not
/// read cannot hold a permit forever. A streaming answer has other bounds and no longer counts as
/// a handshake.
async fn serve_http<S>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    soft: CancellationToken,
    deadline: Instant,
    handshake: Handshake,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let control = ConnectionControl::default();
    let router = TowerToHyperService::new(router);
    let control_of_request = control.clone();
    // Not as layers, which would make all routes again for every connection.
    let activity = handshake.activity();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(control_of_request.clone());
        activity.set_answering(true);
        let (activity, answered) = (activity.clone(), router.call(request));
        async move {
            let answer = answered.await;
            activity.set_answering(false);
            answer
        }
    });
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HANDSHAKE_MAX)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
    );
    let served = tokio::select! {
        biased;
        served = connection.as_mut() => Ok(served),
        () = soft.cancelled() => {
            connection.as_mut().graceful_shutdown();
            timeout(CLOSE_MAX, connection).await
        }
        () = control.deadline_lifted() => {
            drop(handshake);
            tokio::select! {
                biased;
                served = connection.as_mut() => Ok(served),
                () = control.aborted() => return,
                () = soft.cancelled() => timeout(CLOSE_MAX, connection).await,
            }
        }
        () = sleep_until(deadline) => {
            connection.as_mut().graceful_shutdown();
            timeout(CLOSE_MAX, connection).await
        }
    };
    match served {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%peer, %error, "connection failed"),
        Err(_) => tracing::debug!(%peer, "connection did not close in time"),
    }
}
