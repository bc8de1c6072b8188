import { viewOf } from '@lantern-room/base/bytes'
import { removeMachOSignature, signMachO } from './machO'
import type { Target } from './nodeBinaries'

/** Node's binaries contain this text once; with `:1` after it instead of `:0` they run the program inside them. */
export const SEA_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Program properties shown by Windows. */
type ProgramDetails = {
  /** `room`, without its ending. */
  readonly name: string
  readonly description: string
  /** Three numbers with dots. */
  readonly version: string
}

/** Puts contents into a Linux or macOS binary and sets the fuse. */
export type Inject = (binary: Uint8Array, contents: Uint8Array) => Promise<Uint8Array>

/**
 * Puts a program into Node's binary for a target.
 * @param node the binary as published
 * @param contents the program, as `node --experimental-sea-config` of the same version prepares it
 * @throws Error when the binary is not the expected kind
 */
export async function makeExecutable(
  target: Target,
  node: Uint8Array,
  contents: Uint8Array,
  details: ProgramDetails,
  inject: Inject,
): Promise<Uint8Array> {
  if (target === 'win-x64') return withFuse(await windowsProgram(node, contents, details))
  if (target.startsWith('linux')) {
    const stripped = stripElf(node)
    if (stripped === undefined) throw new Error('the binary for Linux is no ELF program')
    return inject(stripped, contents)
  }
  // Signed last: the signature covers everything.
  return signMachO(await inject(removeMachOSignature(node), contents), details.name)
}

/** @throws Error when the binary is not one of Node that can contain a program, or does so already */
export function withFuse(binary: Uint8Array): Uint8Array {
  const bytes = Buffer.from(binary)
  const at = bytes.indexOf(`${SEA_FUSE}:0`)
  if (at < 0 || bytes.indexOf(SEA_FUSE, at + SEA_FUSE.length) >= 0)
    throw new Error('the binary is not one of Node that can contain a program')
  bytes.write('1', at + SEA_FUSE.length + 1, 'latin1')
  return bytes
}

/** Fields of a 64-bit ELF header and of its program headers. @see https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html */
const HEADER_BYTES = 64
const PROGRAM_HEADERS_AT = 32
const SECTION_HEADERS_AT = 40
const PROGRAM_HEADER_SIZE_AT = 54
const SECTION_COUNT_AT = 60
const SEGMENT_OFFSET_AT = 8
const SEGMENT_BYTES_AT = 32

/**
 * Leaves out what a 64-bit little-endian Linux program does not need in order to run: its symbol tables and the list of
 * its sections, which come after everything that is loaded.
 * @returns the shorter program; undefined for anything else
 */
export function stripElf(program: Uint8Array): Uint8Array | undefined {
  const view = viewOf(program)
  // "\x7fELF", 64 bits, little endian, version 1.
  if (program.length < HEADER_BYTES || view.getUint32(0) !== 0x7f454c46) return undefined
  if (view.getUint32(4) >>> 8 !== 0x020101) return undefined
  const start = Number(view.getBigUint64(PROGRAM_HEADERS_AT, true))
  const size = view.getUint16(PROGRAM_HEADER_SIZE_AT, true)
  const count = view.getUint16(PROGRAM_HEADER_SIZE_AT + 2, true)
  if (start + size * count > program.length) return undefined
  const ends = Array.from({ length: count }, (_, index) => {
    const at = start + index * size
    return Number(
      view.getBigUint64(at + SEGMENT_OFFSET_AT, true) + view.getBigUint64(at + SEGMENT_BYTES_AT, true),
    )
  })
  const stripped = program.slice(0, Math.max(start + size * count, ...ends))
  const changed = new DataView(stripped.buffer)
  changed.setBigUint64(SECTION_HEADERS_AT, 0n, true)
  // The number of sections, and which of them has the names.
  changed.setUint32(SECTION_COUNT_AT, 0, true)
  return stripped
}

/** US English, Unicode. */
const LANGUAGE = { lang: 1033, codepage: 1200 } as const
/** Where Node looks for the program that it contains: resource type RCDATA, this name. */
const SEA_RESOURCE = 'NODE_SEA_BLOB'
const RT_RCDATA = 10
const RT_VERSION = 16

/** The part of the package `resedit` that is used here. */
type Resedit = {
  NtExecutable: {
    from(bytes: Uint8Array, options: { ignoreCert: boolean }): { generate(): ArrayBuffer }
  }
  NtExecutableResource: {
    from(executable: object): {
      entries: {
        type: number | string
        id: number | string
        lang: number
        codepage: number
        bin: ArrayBuffer
      }[]
      outputResource(executable: object): void
    }
  }
  Resource: {
    VersionInfo: {
      createEmpty(): {
        setFileVersion(version: string, lang: number): void
        setProductVersion(version: string, lang: number): void
        setStringValues(at: typeof LANGUAGE, values: Record<string, string>): void
        outputToResourceEntries(entries: object[]): void
      }
    }
  }
}

/**
 * Puts a program into `node.exe`, with name and version of its own instead of Node's.
 * @param node whose signature is left out, since it covers other bytes
 * @param contents the program, as `node --experimental-sea-config` prepares it
 */
async function windowsProgram(
  node: Uint8Array,
  contents: Uint8Array,
  { name, description, version }: ProgramDetails,
): Promise<Uint8Array> {
  const packageName: string = 'resedit'
  const { NtExecutable, NtExecutableResource, Resource }: Resedit = await import(packageName)
  const executable = NtExecutable.from(node, { ignoreCert: true })
  const resources = NtExecutableResource.from(executable)
  const { lang } = LANGUAGE
  resources.entries = resources.entries.filter(({ type }) => type !== RT_VERSION)
  resources.entries.push({
    type: RT_RCDATA,
    id: SEA_RESOURCE,
    lang,
    codepage: 0,
    bin: new Uint8Array(contents).buffer,
  })

  const info = Resource.VersionInfo.createEmpty()
  info.setFileVersion(`${version}.0`, lang)
  info.setProductVersion(`${version}.0`, lang)
  info.setStringValues(LANGUAGE, {
    FileDescription: description,
    FileVersion: version,
    InternalName: name,
    LegalCopyright: 'MIT licence',
    OriginalFilename: `${name}.exe`,
    ProductName: 'Lantern Room',
    ProductVersion: version,
  })
  info.outputToResourceEntries(resources.entries)
  resources.outputResource(executable)
  return new Uint8Array(executable.generate())
}
