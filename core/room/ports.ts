/** What rooms need of the machine, besides the game and its LAN. Adapters implement these types; core knows nothing else. */

import type { ByteStream } from '@lantern-room/base/bytes'

/** How a host proves itself to guests of a private room: an Ed25519 key and a certificate that carries it, both as PEM. */
export type HostCredentials = { readonly privateKey: string; readonly certificate: string }

/** A stream that only the two ends can read. */
export type SecureStream = {
  readonly stream: ByteStream
  /** The Ed25519 key that the other side has proved, 32 bytes; undefined when it has none, as a guest. */
  readonly peerKey: Uint8Array | undefined
  /** A secret of `size` bytes that both ends derive from the handshake, for this label (RFC 8446, 7.5). */
  exportKey(label: string, size: number): Uint8Array
}

/** `not-tls`: the other side answered with something else, or its proof is wrong. `closed`: it did not answer. */
export type SecureHandshake =
  | { readonly kind: 'secure'; readonly secure: SecureStream }
  | { readonly kind: 'not-tls' | 'closed'; readonly cause: unknown }

/**
 * Encryption of streams from end to end, with forward secrecy. The streams that are given belong to it: they are closed when
 * the handshake fails, or the signal aborts before it is over. Nothing here rejects.
 */
export type SecureStreams = {
  /** The side that opened the stream. It accepts any key: the caller compares it. */
  connect(stream: ByteStream, signal: AbortSignal): Promise<SecureHandshake>
  /** The side that accepted the stream. */
  createAcceptor(
    credentials: HostCredentials,
  ): (stream: ByteStream, signal: AbortSignal) => Promise<SecureHandshake>
}

/**
 * Performs a handshake with the node at this address. Never rejects.
 * @param url such as `tcp://node.example.com:11010`
 * @param limitMs milliseconds
 */
export type ProbeNode = (
  url: string,
  limitMs: number,
) => Promise<
  | { readonly latencyMs: number; readonly isSharedNode: boolean }
  /** `isRefused`: it leads to a machine that is not asked. */
  | { readonly problem: string; readonly isRefused?: boolean }
>

/** A text that outlives the program, such as a file. */
export type TextStore = {
  /** @returns undefined when there is none. @throws Error when it cannot be read */
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  remove(): Promise<void>
}
