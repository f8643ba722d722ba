//! [`HttpTransport`]: carries exchanges out over real sockets. Feature `http`.
//!
//! The work runs on a `tokio` runtime that the embedder has; what a shell awaits are plain futures, so the shell itself may run anywhere. One
//! connection an exchange: the address was judged for this exchange only. A transfer that nobody waits for any more is aborted.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use crate::net::{Body, BodyStream, BoxFuture, Exchange, Failure, Reply, Scheme, Transport};

/// Time for connecting when the exchange does not say: that of curl.
const CONNECT: Duration = Duration::from_secs(300);

/// Time for resolving a name.
const RESOLVE: Duration = Duration::from_secs(30);

/// Pieces of a body that wait to be taken.
const WAITING: usize = 4;

/// HTTP/1.1 over TCP and TLS. Certificates are checked against the host's store.
#[derive(Clone)]
pub struct HttpTransport {
    runtime: Handle,
    started: Instant,
    checked: Arc<ClientConfig>,
    unchecked: Arc<ClientConfig>,
}

impl std::fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpTransport").finish_non_exhaustive()
    }
}

impl HttpTransport {
    /// A transport that works on a runtime with I/O and timers.
    pub fn new(runtime: Handle) -> HttpTransport {
        let mut roots = RootCertStore::empty();
        for certificate in rustls_native_certs::load_native_certs().certs {
            // One that cannot be read is one that is not trusted.
            let _ = roots.add(certificate);
        }
        HttpTransport {
            runtime,
            started: Instant::now(),
            checked: Arc::new(builder().with_root_certificates(roots).with_no_client_auth()),
            unchecked: Arc::new(
                builder()
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(AnyCertificate))
                    .with_no_client_auth(),
            ),
        }
    }
}

fn builder() -> rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    // The provider knows the versions of its own default.
    match builder.with_safe_default_protocol_versions() {
        Ok(builder) => builder,
        Err(_) => ClientConfig::builder(),
    }
}

impl Transport for HttpTransport {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        let name = host.strip_suffix('.').unwrap_or(host).to_owned();
        let task = Task(self.runtime.spawn(async move {
            let found = timeout(RESOLVE, tokio::net::lookup_host((name, 0))).await;
            let found = found
                .map_err(|_| Failure::Resolve)?
                .map_err(|_| Failure::Resolve)?;
            Ok(found.map(|address| address.ip()).collect())
        }));
        Box::pin(task.ended())
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn exchange(&self, exchange: Exchange, address: SocketAddr) -> BoxFuture<'_, Result<Reply, Failure>> {
        let config = if exchange.insecure {
            &self.unchecked
        } else {
            &self.checked
        };
        let config = Arc::clone(config);
        let patience = Patience {
            started: self.started,
            deadline: exchange.timeout.map(|time| Instant::now() + time),
            idle: exchange.idle_timeout,
        };
        let task = Task(self.runtime.spawn(async move {
            let work = start(exchange, address, config, patience);
            match patience.deadline {
                Some(deadline) => timeout_at(deadline, work).await.unwrap_or(Err(Failure::Timeout)),
                None => work.await,
            }
        }));
        Box::pin(task.ended())
    }
}

/// How long to wait, and since when time is counted.
#[derive(Debug, Clone, Copy)]
struct Patience {
    started: Instant,
    deadline: Option<Instant>,
    idle: Option<Duration>,
}

impl Patience {
    /// Waits for something of the server.
    async fn wait<T>(self, work: impl Future<Output = T>) -> Result<T, Failure> {
        let idle = self.idle.map(|idle| Instant::now() + idle);
        let until = [idle, self.deadline].into_iter().flatten().min();
        match until {
            Some(until) => timeout_at(until, work).await.map_err(|_| Failure::Timeout),
            None => Ok(work.await),
        }
    }
}

/// A task that ends with whoever waits for it.
struct Task<T>(JoinHandle<Result<T, Failure>>);

impl<T> Task<T> {
    async fn ended(mut self) -> Result<T, Failure> {
        let ended = (&mut self.0).await;
        ended.unwrap_or_else(|_| Err(Failure::Receive("the runtime has ended".to_owned())))
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Connects, sends, and waits for the head of the reply.
async fn start(
    exchange: Exchange,
    address: SocketAddr,
    config: Arc<ClientConfig>,
    patience: Patience,
) -> Result<Reply, Failure> {
    let limit = exchange.connect_timeout.unwrap_or(CONNECT);
    let connect_by = Instant::now() + limit;
    let stream = timeout_at(connect_by, TcpStream::connect(address))
        .await
        .map_err(|_| Failure::ConnectTimeout)?
        .map_err(|_| Failure::Connect)?;
    let _ = stream.set_nodelay(true); // only a matter of speed
    let connected = patience.started.elapsed();
    if exchange.url.scheme == Scheme::Http {
        let reply = send(TokioIo::new(stream), exchange, address, patience).await?;
        return Ok(Reply { connected, ..reply });
    }
    let host = exchange.url.host.to_string();
    let bare = host
        .trim_start_matches('[')
        .trim_end_matches([']', '.'])
        .to_owned();
    let name = ServerName::try_from(bare).map_err(|error| Failure::Tls(error.to_string()))?;
    let stream = timeout_at(connect_by, TlsConnector::from(config).connect(name, stream))
        .await
        .map_err(|_| Failure::ConnectTimeout)?
        .map_err(|error| tls_failure(&error))?;
    let secured = Some(patience.started.elapsed());
    let reply = send(TokioIo::new(stream), exchange, address, patience).await?;
    Ok(Reply {
        connected,
        secured,
        ..reply
    })
}

fn tls_failure(error: &std::io::Error) -> Failure {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(reason)) => Failure::Certificate(reason.to_string()),
        _ => Failure::Tls(error.to_string()),
    }
}

async fn send<S>(
    stream: S,
    exchange: Exchange,
    address: SocketAddr,
    patience: Patience,
) -> Result<Reply, Failure>
where
    S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .title_case_headers(true)
        .handshake(stream)
        .await
        .map_err(|error| Failure::Receive(error.to_string()))?;
    // It ends when the reply's body has been read or dropped.
    tokio::spawn(connection);
    let request = request(&exchange)?;
    let reply = patience.wait(sender.send_request(request)).await?;
    let reply = reply.map_err(|error| broken(&error))?;
    let (head, body) = reply.into_parts();
    let reason = match head.extensions.get::<hyper::ext::ReasonPhrase>() {
        Some(reason) => String::from_utf8_lossy(reason.as_bytes()).into_owned(),
        None => head.status.canonical_reason().unwrap_or_default().to_owned(),
    };
    Ok(Reply {
        version: if head.version == hyper::Version::HTTP_10 {
            "1.0"
        } else {
            "1.1"
        },
        status: head.status.as_u16(),
        reason,
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (title_case(name.as_str()), value.as_bytes().to_vec()))
            .collect(),
        body: Box::new(Streamed::start(body, patience)),
        address,
        connected: Duration::ZERO,
        secured: None,
    })
}

fn request(exchange: &Exchange) -> Result<hyper::Request<Full<Bytes>>, Failure> {
    let invalid = |error: hyper::http::Error| Failure::Receive(error.to_string());
    let mut request = hyper::Request::builder()
        .method(exchange.method.as_str())
        .uri(exchange.url.target.as_str());
    for (name, value) in &exchange.headers {
        request = request.header(name.as_str(), value.as_slice());
    }
    let body = match &exchange.body {
        Body::None => Bytes::new(),
        Body::Bytes(bytes) => Bytes::from(bytes.clone()),
    };
    request.body(Full::new(body)).map_err(invalid)
}

fn broken(error: &hyper::Error) -> Failure {
    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        Failure::Empty
    } else {
        Failure::Receive(error.to_string())
    }
}

/// `content-type` as most servers write it.
fn title_case(name: &str) -> String {
    let mut start = true;
    let cased = name.chars().map(|character| {
        let cased = if start {
            character.to_ascii_uppercase()
        } else {
            character
        };
        start = character == '-';
        cased
    });
    cased.collect()
}

/// A body that is read on the runtime and waits for whoever takes it.
struct Streamed {
    pieces: mpsc::Receiver<Result<Vec<u8>, Failure>>,
    reading: JoinHandle<()>,
}

impl Streamed {
    fn start(body: Incoming, patience: Patience) -> Streamed {
        let (sender, pieces) = mpsc::channel(WAITING);
        let reading = tokio::spawn(read(body, patience, sender));
        Streamed { pieces, reading }
    }
}

async fn read(mut body: Incoming, patience: Patience, sender: mpsc::Sender<Result<Vec<u8>, Failure>>) {
    loop {
        let piece = match patience.wait(body.frame()).await {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) if !data.is_empty() => Ok(data.to_vec()),
                _ => continue,
            },
            Ok(Some(Err(error))) => Err(Failure::Receive(error.to_string())),
            Err(failure) => Err(failure),
        };
        let last = piece.is_err();
        if sender.send(piece).await.is_err() || last {
            return;
        }
    }
}

impl BodyStream for Streamed {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<u8>, Failure>> {
        Box::pin(async move { self.pieces.recv().await.unwrap_or(Ok(Vec::new())) })
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

/// `curl -k`: takes any certificate.
#[derive(Debug)]
struct AnyCertificate;

impl rustls::client::danger::ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &rustls::pki_types::CertificateDer<'_>,
        _: &[rustls::pki_types::CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: rustls::pki_types::UnixTime,
    ) -> Result<rustls::client::danger::ServerCertVerified, rustls::Error> {
        Ok(rustls::client::danger::ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &rustls::pki_types::CertificateDer<'_>,
        signature: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, &algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &rustls::pki_types::CertificateDer<'_>,
        signature: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        rustls::crypto::ring::default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}
