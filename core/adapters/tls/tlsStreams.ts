import { once } from 'node:events'
import { connect, createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { systemCode } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { SecureHandshake, SecureStream, SecureStreams } from '@lantern-room/room/ports'
import { socketStream } from '../network/socketStream'
import { streamDuplex } from './streamDuplex'

/** Both sides name it in the handshake (ALPN), so that nothing else that speaks TLS is taken for a room. */
const PROTOCOL = 'lantern-room/1'

const TLS_1_3: SecureContextOptions = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  // No authority is asked, so none is loaded.
  ca: [],
  // The cheapest first: what is inside has been sealed once already.
  ciphers: 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256',
}

/**
 * TLS 1.3 (RFC 8446) of Node, over any stream of bytes. Neither side's certificate is checked by its issuer: the caller compares `peerKey`.
 * @returns handshakes that never reject: they say how they ended
 * @example
 * const handshake = await createTlsStreams().connect(stream, signal)
 * if (handshake.kind === 'secure') await prove(handshake.secure.stream, handshake.secure.peerKey)
 */
export function createTlsStreams(): SecureStreams {
  const guestContext = createSecureContext(TLS_1_3)
  return {
    connect: (stream, signal) =>
      shakeHands(
        stream,
        // The key is compared instead of the certificate's issuer and name: the certificate only carries it.
        connect({
          socket: streamDuplex(stream),
          rejectUnauthorized: false,
          ALPNProtocols: [PROTOCOL],
          secureContext: guestContext,
        }),
        'secureConnect',
        signal,
      ),
    createAcceptor({ privateKey, certificate }) {
      const secureContext = createSecureContext({ key: privateKey, cert: certificate, ...TLS_1_3 })
      return (stream, signal) => {
        const socket = new TLSSocket(streamDuplex(stream), {
          isServer: true,
          secureContext,
          ALPNProtocols: [PROTOCOL],
        })
        return shakeHands(stream, socket, 'secure', signal)
      }
    },
  }
}

async function shakeHands(
  stream: ByteStream,
  socket: TLSSocket,
  established: 'secureConnect' | 'secure',
  signal: AbortSignal,
): Promise<SecureHandshake> {
  const unsubscribe = onAbort(signal, () => socket.destroy(new Error('The handshake was given up.')))
  // Later errors are those of the stream that is made of it.
  socket.on('error', () => {})
  try {
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('The stream was closed.')))
    await Promise.race([once(socket, established), closed])
    if (socket.alpnProtocol === PROTOCOL) return { kind: 'secure', secure: secureStream(stream, socket) }
    return giveUp(
      'not-tls',
      new Error(`the other side speaks ${socket.alpnProtocol || 'no protocol of ours'}`),
    )
  } catch (cause) {
    // What OpenSSL makes of bytes that are no TLS, of alerts and of signatures that are wrong; not what breaks the stream.
    const isNotTls = /^ERR_SSL_|^EPROTO$/.test(systemCode(cause) ?? '')
    return giveUp(isNotTls ? 'not-tls' : 'closed', cause)
  } finally {
    unsubscribe()
  }

  function giveUp(kind: 'not-tls' | 'closed', cause: unknown) {
    socket.destroy()
    stream.destroy()
    return { kind, cause }
  }
}

function secureStream(stream: ByteStream, socket: TLSSocket): SecureStream {
  const inner = socketStream(socket)
  return {
    stream: { ...inner, closed: Promise.all([inner.closed, stream.closed]).then(() => {}) },
    peerKey: ed25519Key(socket),
    exportKey: (label, size) => new Uint8Array(socket.exportKeyingMaterial(size, label, Buffer.alloc(0))),
  }
}

/** The public key of the other side's certificate, for which it has signed the handshake. */
function ed25519Key(socket: TLSSocket): Uint8Array | undefined {
  const key = socket.getPeerX509Certificate()?.publicKey
  if (key?.asymmetricKeyType !== 'ed25519') return undefined
  return new Uint8Array(key.export({ format: 'der', type: 'spki' })).slice(-32)
}
