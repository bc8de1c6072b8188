import { createHash } from 'node:crypto'
import { viewOf } from '@lantern-room/base/bytes'

// A 64-bit little-endian Mach-O program, and its code signature.
// @see https://github.com/apple-oss-distributions/xnu/blob/main/EXTERNAL_HEADERS/mach-o/loader.h
// @see https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h

const MAGIC_64 = 0xfeedfacf
const HEADER_BYTES = 32
const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const SIGNATURE_COMMAND_BYTES = 16
/** Segments end at multiples of this; the larger of the two that Macs use. */
const VM_PAGE_BYTES = 0x4000

const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0
const CSMAGIC_CODEDIRECTORY = 0xfade0c02
const CODE_DIRECTORY_VERSION = 0x20400
const CODE_DIRECTORY_BYTES = 88
/** Magic, length and count; then kind and offset of the one blob inside. */
const SUPER_BLOB_BYTES = 20
const CS_ADHOC = 0x2
const CS_EXECSEG_MAIN_BINARY = 0x1
const CS_HASHTYPE_SHA256 = 2
const HASH_BYTES = 32
const SIGNED_PAGE_BITS = 12
const SIGNED_PAGE_BYTES = 1 << SIGNED_PAGE_BITS

type Command = { readonly at: number; readonly kind: number; readonly size: number }
type Segment = { readonly at: number; readonly name: string; readonly offset: number; readonly bytes: number }

/**
 * Takes away the signature, which is at the end, so that the program can be changed.
 * @returns the program itself when it has none
 * @throws Error for anything but a 64-bit Mach-O program
 */
export function removeMachOSignature(program: Uint8Array): Uint8Array {
  const commands = readCommands(program)
  const signature = commands.find(({ kind }) => kind === LC_CODE_SIGNATURE)
  if (signature === undefined) return program
  if (signature !== commands.at(-1)) throw new Error('the signature is not the last load command')
  const end = viewOf(program).getUint32(signature.at + 8, true)
  const unsigned = program.slice(0, end)
  const view = viewOf(unsigned)
  unsigned.fill(0, signature.at, signature.at + signature.size)
  changeCommands(view, -1, -signature.size)
  resizeLinkEdit(view, segmentsOf(unsigned), end)
  return unsigned
}

/**
 * Signs a program without a certificate ("ad hoc"): Macs with Apple's processors run no program without a signature.
 * @param identifier such as `room`
 * @throws Error for anything but an unsigned 64-bit Mach-O program with room for one more load command
 */
export function signMachO(program: Uint8Array, identifier: string): Uint8Array {
  const commands = readCommands(program)
  if (commands.some(({ kind }) => kind === LC_CODE_SIGNATURE))
    throw new Error('the program is signed already')
  const commandAt = commands.reduce((end, { at, size }) => Math.max(end, at + size), HEADER_BYTES)
  const codeBytes = roundUp(program.length, 16)
  const name = Buffer.from(`${identifier}\0`, 'utf8')
  const pages = Math.ceil(codeBytes / SIGNED_PAGE_BYTES)
  const signatureBytes = SUPER_BLOB_BYTES + CODE_DIRECTORY_BYTES + name.length + pages * HASH_BYTES
  const signed = new Uint8Array(codeBytes + signatureBytes)
  signed.set(program)
  if (signed.subarray(commandAt, commandAt + SIGNATURE_COMMAND_BYTES).some((byte) => byte !== 0))
    throw new Error('there is no room for another load command')

  const view = viewOf(signed)
  view.setUint32(commandAt, LC_CODE_SIGNATURE, true)
  view.setUint32(commandAt + 4, SIGNATURE_COMMAND_BYTES, true)
  view.setUint32(commandAt + 8, codeBytes, true)
  view.setUint32(commandAt + 12, signatureBytes, true)
  changeCommands(view, 1, SIGNATURE_COMMAND_BYTES)
  const segments = segmentsOf(signed)
  resizeLinkEdit(view, segments, signed.length)
  const text = segments.find((segment) => segment.name === '__TEXT')
  if (text === undefined) throw new Error('there is no segment __TEXT')
  // Last, because it covers the load commands.
  signed.set(codeSignature(signed.subarray(0, codeBytes), name, text), codeBytes)
  return signed
}

function codeSignature(code: Uint8Array, name: Uint8Array, text: Segment): Uint8Array {
  const hashes = hashPages(code)
  const hashesAt = CODE_DIRECTORY_BYTES + name.length
  const directoryBytes = hashesAt + hashes.length
  const blob = new Uint8Array(SUPER_BLOB_BYTES + directoryBytes)
  const view = viewOf(blob)
  // In these structures numbers are big-endian.
  const superBlob = [CSMAGIC_EMBEDDED_SIGNATURE, blob.length, 1, 0, SUPER_BLOB_BYTES]
  const directory = [
    CSMAGIC_CODEDIRECTORY,
    directoryBytes,
    CODE_DIRECTORY_VERSION,
    CS_ADHOC,
    hashesAt,
    CODE_DIRECTORY_BYTES, // of the identifier
    0, // special slots
    hashes.length / HASH_BYTES,
    code.length,
    (HASH_BYTES << 24) | (CS_HASHTYPE_SHA256 << 16) | SIGNED_PAGE_BITS,
    0,
    0, // scatter
    0, // team
    0,
  ]
  for (const [index, value] of [...superBlob, ...directory].entries()) view.setUint32(index * 4, value)
  const at = SUPER_BLOB_BYTES + directory.length * 4
  view.setBigUint64(at, 0n) // a limit above 4 GiB
  view.setBigUint64(at + 8, BigInt(text.offset))
  view.setBigUint64(at + 16, BigInt(text.bytes))
  view.setBigUint64(at + 24, BigInt(CS_EXECSEG_MAIN_BINARY))
  blob.set(name, SUPER_BLOB_BYTES + CODE_DIRECTORY_BYTES)
  blob.set(hashes, SUPER_BLOB_BYTES + hashesAt)
  return blob
}

function hashPages(code: Uint8Array): Uint8Array {
  const count = Math.ceil(code.length / SIGNED_PAGE_BYTES)
  const hashes = new Uint8Array(count * HASH_BYTES)
  for (let page = 0; page < count; page++) {
    const bytes = code.subarray(page * SIGNED_PAGE_BYTES, (page + 1) * SIGNED_PAGE_BYTES)
    hashes.set(createHash('sha256').update(bytes).digest(), page * HASH_BYTES)
  }
  return hashes
}

function readCommands(program: Uint8Array): readonly Command[] {
  const view = viewOf(program)
  if (program.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC_64)
    throw new Error('this is no 64-bit Mach-O program')
  const commands: Command[] = []
  let at = HEADER_BYTES
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const command = { at, kind: view.getUint32(at, true), size: view.getUint32(at + 4, true) }
    commands.push(command)
    at += command.size
  }
  return commands
}

function segmentsOf(program: Uint8Array): readonly Segment[] {
  const view = viewOf(program)
  return readCommands(program)
    .filter(({ kind }) => kind === LC_SEGMENT_64)
    .map(({ at }) => ({
      at,
      name: Buffer.from(program.subarray(at + 8, at + 24))
        .toString('latin1')
        .replace(/\0.*$/s, ''),
      offset: Number(view.getBigUint64(at + 40, true)),
      bytes: Number(view.getBigUint64(at + 48, true)),
    }))
}

function changeCommands(view: DataView, count: number, bytes: number): void {
  view.setUint32(16, view.getUint32(16, true) + count, true)
  view.setUint32(20, view.getUint32(20, true) + bytes, true)
}

/** The last segment reaches to the end of the file. */
function resizeLinkEdit(view: DataView, segments: readonly Segment[], end: number): void {
  const last = segments.find(({ name }) => name === '__LINKEDIT')
  if (last === undefined) throw new Error('there is no segment __LINKEDIT')
  const bytes = end - last.offset
  view.setBigUint64(last.at + 32, BigInt(roundUp(bytes, VM_PAGE_BYTES)), true)
  view.setBigUint64(last.at + 48, BigInt(bytes), true)
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}
