import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../process/serverProcess'

/** Bytes recorded from the real program: tests/fixtures/easytier/README.md says what is what. */

const folder = join(projectRoot, 'tests/fixtures/easytier')

export type Json = null | boolean | number | string | readonly Json[] | JsonRecord
export type JsonRecord = { readonly [key: string]: Json }

export type HeaderVector = {
  readonly from_peer_id: number
  readonly to_peer_id: number
  readonly packet_type: number
  readonly flags: number
  readonly forward_counter: number
  readonly reserved: number
  readonly len: number
}

/** A packet with what it says. */
export type PacketVector = {
  readonly name?: string
  readonly direction?: string
  readonly bytes: string
  readonly header: HeaderVector
  readonly sealed?: {
    readonly key: string
    readonly nonce: string
    readonly tag: string
    readonly plaintext: string
  }
  readonly compressed?: { readonly zstd_frame: string; readonly plaintext: string }
  readonly handshake?: JsonRecord
  readonly rpc_packet?: JsonRecord
  readonly kcp?: JsonRecord
  readonly ipv4?: Ipv4Vector
  readonly sequence?: number
}

export type Ipv4Vector = {
  readonly header_bytes: number
  readonly total_length: number
  readonly id: number
  readonly dont_fragment: boolean
  readonly more_fragments: boolean
  readonly fragment_offset_bytes: number
  readonly ttl: number
  readonly protocol: number
  readonly src: string
  readonly dst: string
  readonly udp?: {
    readonly src_port: number
    readonly dst_port: number
    readonly length: number
    readonly data: string
  }
}

export type NetworkVector = {
  readonly network_name: string
  readonly network_secret: string
  readonly digest?: string
}

export type FoundPacket = { readonly at: string; readonly secret: string; readonly packet: PacketVector }

/** A call of `rpc.json`, and what each side said. */
export type CallVector = {
  readonly name: string
  readonly service: string
  readonly method_index: number
  readonly request?: CallBodyVector
  readonly response?: CallBodyVector
}

export type CallBodyVector = {
  readonly packets?: readonly PacketVector[]
  readonly rpc?: JsonRecord
  readonly inner?: JsonRecord
  readonly zstd_plain?: string
}

/** A file by its name without `.json`. Its form is as the README says. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

export function readCalls(): readonly CallVector[] {
  return readVectors<{ readonly calls: readonly CallVector[] }>('rpc').calls
}

/** The body of a call as its packets carry it, in hexadecimal digits. */
export function carriedBody({ packets = [] }: CallBodyVector): string {
  return packets.map(({ rpc_packet }) => rpc_packet?.body ?? '').join('')
}

/** Every packet of every file that is given with its header, wherever it lies in it. */
export function everyPacket(): FoundPacket[] {
  const names = ['keys', 'packets', 'transports', 'handshake', 'rpc', 'kcp', 'ipdata', 'v2.5.0']
  return names.flatMap((name) => packetsIn(readVectors<Json>(name), name, ''))
}

/** The payload of a recorded packet, opened and decompressed. */
export function plainTextOf({ compressed, sealed, bytes }: PacketVector): Uint8Array {
  return unhex(compressed?.plaintext ?? sealed?.plaintext ?? bytes.slice(32))
}

export function unhex(digits: string): Uint8Array {
  if (!/^([0-9a-f]{2})*$/.test(digits)) throw new Error(`not lower-case hexadecimal: ${digits}`)
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** A vector's fields without remarks, and without zeros: those are absent on the wire. */
export function fieldsOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(fieldsOf)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([key, its]) => !key.startsWith('$') && !isZero(its))
  return Object.fromEntries(entries.map(([key, its]) => [key, fieldsOf(its)]))
}

/**
 * A decoded message in the form of the vectors: names with underscores, bytes as hex, maps as lists of key and value,
 * one-ofs as the field that is there, and no zeros.
 */
export function asVector(value: unknown): Json {
  if (value instanceof Uint8Array) return hexOf(value)
  if (Array.isArray(value)) return value.map(asVector)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (value === null || typeof value !== 'object') return null
  if (!('$typeName' in value)) return mapAsVector(value)
  const fields = Object.entries(value).flatMap(([key, its]): [string, Json][] => {
    if (key.startsWith('$') || its === undefined) return []
    return isOneOf(its) ? oneOfAsVector(its) : [[underscored(key), asVector(its)]]
  })
  return Object.fromEntries(fields.filter(([, its]) => !isZero(its)))
}

function mapAsVector(map: object): Json {
  return Object.entries(map).map(([key, value]) => ({ key: Number(key), value: asVector(value) }))
}

type OneOf = { readonly case: string | undefined; readonly value?: unknown }

function isOneOf(value: unknown): value is OneOf {
  return typeof value === 'object' && value !== null && 'case' in value && !('$typeName' in value)
}

function oneOfAsVector(oneOf: OneOf): [string, Json][] {
  return oneOf.case === undefined ? [] : [[underscored(oneOf.case), asVector(oneOf.value)]]
}

function underscored(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function isZero(value: Json): boolean {
  return (
    value === 0 ||
    value === '' ||
    value === '0' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}

function packetsIn(value: Json, at: string, secret: string): FoundPacket[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => packetsIn(item, `${at}[${i}]`, secret))
  if (!isRecord(value)) return []
  const network = isRecord(value.network) ? value.network.network_secret : undefined
  const own = [value.network_secret, network, secret].find((found) => typeof found === 'string')
  const inner = typeof own === 'string' ? own : secret
  const found = isPacket(value) ? [{ at, secret: inner, packet: value }] : []
  return [...found, ...Object.entries(value).flatMap(([key, its]) => packetsIn(its, `${at}.${key}`, inner))]
}

function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPacket(value: object): value is PacketVector {
  // A frame has its length before the packet.
  return 'bytes' in value && 'header' in value && !('length_prefix' in value)
}
