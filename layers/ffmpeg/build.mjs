// Makes the folder that becomes the Lambda layer: bin/ffmpeg and what its licence asks for. README.md says more.
//   node layers/ffmpeg/build.mjs [--arch arm64|x64] --from FILE --sha256 HEX [--origin TEXT] [--out FOLDER]
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
const MAX_BYTES = 160 * 1024 * 1024

class Refusal extends Error {}

try {
  await build(readOptions())
} catch (error) {
  if (!(error instanceof Refusal) && !/^(ENOENT|ERR_PARSE_ARGS_.*)$/.test(error.code)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function build({ machine, from, sha256, origin, out }) {
  const program = unpack(await readFile(from))
  const actual = sha256Of(program)
  if (sha256 === undefined) throw new Refusal(`Name the program's sum: --sha256 ${actual}`)
  if (actual !== sha256) {
    throw new Refusal(`The program is not the expected one: SHA-256 ${actual} instead of ${sha256}.`)
  }
  const elf = readElf(program)
  if (!elf) throw new Refusal('The file is no 64-bit Linux program.')
  if (elf.machine !== machine) throw new Refusal(`The program is for ${elf.machine}, and not for ${machine}.`)
  if (!elf.isStatic)
    throw new Refusal(
      'The program needs libraries, which Lambda does not have. It must be linked statically.',
    )
  const version = versionOf(program)
  if (version === undefined) throw new Refusal('The program is no ffmpeg: it does not name its version.')
  if (!isNewEnough(version)) {
    throw new Refusal(
      `The program is ffmpeg ${version}, which lacks security fixes. Take ${OLDEST} or newer, or build it: layers/ffmpeg/build-from-source.sh`,
    )
  }
  await put(out ?? join(here, 'dist', machine), { program, origin, actual })
  console.log(`The layer for ${machine} is ready: ${(program.length / 1e6).toFixed(1)} MB, SHA-256 ${actual}`)
}

function readOptions() {
  const text = { type: 'string' }
  const { values } = parseArgs({
    options: { arch: text, from: text, sha256: text, origin: text, out: text },
  })
  const machine = { arm64: 'arm64', aarch64: 'arm64', x64: 'x86_64', x86_64: 'x86_64' }[
    values.arch ?? 'arm64'
  ]
  if (!machine) throw new Refusal(`--arch is ${values.arch}; allowed is arm64 or x64.`)
  if (values.sha256 !== undefined && !/^[0-9a-f]{64}$/.test(values.sha256)) {
    throw new Refusal('--sha256 takes 64 digits of 0-9 and a-f.')
  }
  if (values.from === undefined) {
    throw new Refusal('Name a program: --from FILE. layers/ffmpeg/build-from-source.sh builds one.')
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
