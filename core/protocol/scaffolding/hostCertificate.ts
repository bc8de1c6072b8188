import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { concatBytes } from '@lantern-room/base/bytes'

/**
 * A self-signed certificate of an Ed25519 key, in which nothing but the key means anything: guests compare the key. The
 * same key always gives the same certificate.
 * @returns DER
 * @see RFC 5280, section 4.1, and RFC 8410
 */
export function createHostCertificate(privateKey: KeyObject): Uint8Array {
  const publicKey = new Uint8Array(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }))
  const name = sequence(
    tlv(SET, sequence(objectId(0x55, 0x04, 0x03), tlv(UTF8_STRING, ascii('lantern-room host')))),
  )
  const body = sequence(
    tlv(CONTEXT_0, integer(VERSION_3)),
    integer(1),
    ED25519,
    name,
    sequence(tlv(UTC_TIME, ascii('700101000000Z')), tlv(GENERALIZED_TIME, ascii('99991231235959Z'))),
    name,
    publicKey,
  )
  const signature = new Uint8Array(sign(null, body, privateKey))
  return sequence(body, ED25519, tlv(BIT_STRING, Uint8Array.of(0), signature))
}

const INTEGER = 0x02
const BIT_STRING = 0x03
const OBJECT_ID = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const CONTEXT_0 = 0xa0

const VERSION_3 = 2
/** 1.3.101.112 */
const ED25519 = sequence(objectId(0x2b, 0x65, 0x70))

function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return tlv(SEQUENCE, ...parts)
}

function integer(value: number): Uint8Array {
  return tlv(INTEGER, Uint8Array.of(value))
}

function objectId(...encoded: readonly number[]): Uint8Array {
  return tlv(OBJECT_ID, Uint8Array.of(...encoded))
}

/** Tag, length and value (X.690, 8.1), for values of less than 64 KiB. */
function tlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const value = concatBytes(parts)
  return concatBytes([Uint8Array.of(tag, ...lengthOf(value.length)), value])
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
