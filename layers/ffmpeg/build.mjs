// Makes the folder that becomes the Lambda layer: bin/ffmpeg and what its licence asks for. README.md says more.
//   node layers/ffmpeg/build.mjs [--arch arm64|x64] --from FILE --sha256 HEX [--origin TEXT] [--out FOLDER]
//   node layers/ffmpeg/build.mjs [--arch arm64|x64] --from pypi [--mirror URL] [--out FOLDER]
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { readElf } from './elf.js'
import { isNewEnough, OLDEST, versionOf } from './programVersion.js'

const here = fileURLToPath(new URL('.', import.meta.url))
/** Lambda allows 250 MiB for a function with all its layers. */
const MAX_BYTES = 200 * 1024 * 1024

/**
 * FFmpeg 9.0.2 as PyPI has it, in wheels of imageio-ffmpeg. It needs glibc 2.28 or newer and nothing else; Lambda's system
 * for Node 24 has 2.34.
 */
const PYPI = 'https://files.pythonhosted.org/packages/'
const WHEELS = {
  arm64: {
    path: '53/02/e139e53a71f33f728cb2ce6c1124edc29e4c008427923f01a4d37f9a1867',
    file: 'imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_aarch64.whl',
    sha256: 'fad3176f859b25869e60a8ed79957d4e3ed74a97a95e5f0cdcb91455f6c6d00e',
  },
  x86_64: {
    path: 'de/0f/49292fbef69ee10ebcf97bb741602521caafcc6966d5fa1a2b868cc15655',
    file: 'imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_x86_64.whl',
    sha256: '050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda',
  },
}

class Refusal extends Error {}

try {
  await build(readOptions())
} catch (error) {
  if (!(error instanceof Refusal) && !/^(ENOENT|ERR_PARSE_ARGS_.*)$/.test(error.code)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function build({ machine, from, sha256, origin, mirror, out }) {
  const isPublished = from === 'pypi'
  const program = isPublished
    ? await unpackWheel(await downloadWheel(WHEELS[machine], mirror))
    : unpack(await readFile(from))
  const actual = sha256Of(program)
  if (!isPublished) requireSum(actual, sha256)
  const elf = readElf(program)
  if (!elf) throw new Refusal('The file is no 64-bit Linux program.')
  if (elf.machine !== machine) throw new Refusal(`The program is for ${elf.machine}, and not for ${machine}.`)
  if (!elf.needsOnlySystem)
    throw new Refusal(
      'The program needs libraries that Lambda does not have. But for those of C it must be linked statically.',
    )
  const version = versionOf(program)
  if (version === undefined) throw new Refusal('The program is no ffmpeg: it does not name its version.')
  if (!isNewEnough(version)) {
    throw new Refusal(
      `The program is ffmpeg ${version}, which lacks security fixes. Take ${OLDEST} or newer, or build it: layers/ffmpeg/build-from-source.sh`,
    )
  }
  const named = isPublished ? `${WHEELS[machine].file} from PyPI` : origin
  await put(out ?? join(here, 'dist', machine), { program, origin: named, actual })
  console.log(`The layer for ${machine} is ready: ${(program.length / 1e6).toFixed(1)} MB, SHA-256 ${actual}`)
}

function requireSum(actual, sha256) {
  if (sha256 === undefined) throw new Refusal(`Name the program's sum: --sha256 ${actual}`)
  if (actual !== sha256) {
    throw new Refusal(`The program is not the expected one: SHA-256 ${actual} instead of ${sha256}.`)
  }
}

/** Nothing is unpacked before its sum was compared. */
async function downloadWheel({ path, file, sha256 }, mirror = `${PYPI}${path}`) {
  const url = `${mirror.replace(/\/$/, '')}/${file}`
  let bytes
  try {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`status ${response.status}`)
    bytes = Buffer.from(await response.arrayBuffer())
  } catch ({ message, cause }) {
    throw new Refusal(`${url} cannot be downloaded: ${cause?.message ?? message}.`)
  }
  const actual = sha256Of(bytes)
  if (actual === sha256) return bytes
  throw new Refusal(`${url} is not the expected file: SHA-256 ${actual} instead of ${sha256}.`)
}

/** A wheel is a ZIP file. */
async function unpackWheel(bytes) {
  const { unzipSync } = await import('fflate')
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => name.includes('/binaries/ffmpeg-') && originalSize <= MAX_BYTES,
  })
  const [program] = Object.values(files)
  if (program === undefined) throw new Refusal('The wheel holds no ffmpeg.')
  return Buffer.from(program.buffer, program.byteOffset, program.length)
}

function readOptions() {
  const text = { type: 'string' }
  const { values } = parseArgs({
    options: { arch: text, from: text, sha256: text, origin: text, mirror: text, out: text },
  })
  const machine = { arm64: 'arm64', aarch64: 'arm64', x64: 'x86_64', x86_64: 'x86_64' }[
    values.arch ?? 'arm64'
  ]
  if (!machine) throw new Refusal(`--arch is ${values.arch}; allowed is arm64 or x64.`)
  if (values.sha256 !== undefined && !/^[0-9a-f]{64}$/.test(values.sha256)) {
    throw new Refusal('--sha256 takes 64 digits of 0-9 and a-f.')
  }
  if (values.from === undefined) {
    throw new Refusal(
      'Name a program: --from FILE, or --from pypi. layers/ffmpeg/build-from-source.sh builds one.',
    )
  }
  return { origin: 'a build of your own', ...values, machine }
}

/** Programs are published packed by gzip. */
function unpack(bytes) {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const program = isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes
    if (program.length <= MAX_BYTES) return program
  } catch (error) {
    if (error.code !== 'ERR_BUFFER_TOO_LARGE')
      throw new Refusal(`The file cannot be unpacked: ${error.message}`)
  }
  throw new Refusal(`The program is larger than ${MAX_BYTES} bytes: too large for a layer.`)
}

/** Whole or not at all: a half-written layer is never uploaded. */
async function put(folder, { program, origin, actual }) {
  const unfinished = `${folder}.${process.pid}.tmp`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(join(unfinished, 'bin'), { recursive: true })
  await mkdir(join(unfinished, 'licences/ffmpeg'), { recursive: true })
  await writeFile(join(unfinished, 'bin/ffmpeg'), program)
  await chmod(join(unfinished, 'bin/ffmpeg'), 0o755)
  await copyFile(join(here, 'COPYING'), join(unfinished, 'licences/ffmpeg/COPYING'))
  await writeFile(join(unfinished, 'licences/ffmpeg/NOTICE'), notice(origin, actual))
  await rm(folder, { recursive: true, force: true })
  await rename(unfinished, folder)
}

function notice(origin, sha256) {
  return [
    'bin/ffmpeg is FFmpeg, https://ffmpeg.org, with libx264 and other libraries in it. It is free software under the GNU',
    'General Public License, version 3 or later, whose text is in the file COPYING beside this one. It comes without any',
    'warranty. It is a program of its own, which the service starts; the service is not derived from it.',
    '',
    `Origin: ${origin}`,
    `SHA-256: ${sha256}`,
    'Source code: of FFmpeg at https://ffmpeg.org/releases/; of this build with all its libraries at its origin.',
    '',
  ].join('\n')
}

function sha256Of(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
