import { createHash } from 'node:crypto'
import { copyFile, cp, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readTemplate, runServerless } from '#support/hosts/serverlessPackage'
import { projectRoot, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { zipEntries } from '#support/values/zipEntries'
import { readElf } from '../../layers/ffmpeg/elf'
import { isNewEnough, versionOf } from '../../layers/ffmpeg/programVersion'

// The layer with ffmpeg: what it may be made of, what is in it, and how it is packaged.

const test = suite('the ffmpeg layer', { timeoutMs: 60_000 })
const layer = join(projectRoot, 'layers/ffmpeg')
const folder = await folderOfSuite('lantern-layer')
for (const [arch, machine] of [
  ['x64', 0x3e],
  ['arm64', 0xb7],
] as const)
  test(`a static program for ${arch} becomes a layer with its licence`, async () => {
    const program = elf({ machine })
    const from = await file(`ffmpeg-${arch}`, program)
    const out = join(folder, `layer-${arch}`)
    const own = ['--sha256', sum(program), '--origin', 'a test']
    for (const source of arch === 'x64' ? [from, await file('gz', gzipSync(program))] : [from]) {
      const made = await build(['--arch', arch, '--from', source, '--out', out, ...own])
      assert.is(made.code, 0, made.said)
      assert.ok((await readFile(join(out, 'bin/ffmpeg'))).equals(program))
      assert.is((await stat(join(out, 'bin/ffmpeg'))).mode & 0o777, 0o755)
      assert.match(
        await readFile(join(out, 'licences/ffmpeg/NOTICE'), 'utf8'),
        /Origin: a test\nSHA-256: \w{64}\n/,
      )
      assert.match(
        await readFile(join(out, 'licences/ffmpeg/COPYING'), 'utf8'),
        /GNU GENERAL PUBLIC LICENSE\s+Version 3/,
      )
    }
  })

/** What a build is told of a program, as far as one run is needed for each of its sentences. */
const refused: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'for another processor': [elf({ machine: 0xb7 }), /The program is for arm64, and not for x86_64\./],
  'that needs libraries': [elf({ machine: 0x3e, interpreter: true }), /libraries that Lambda does not have/],
  'that is a script': [Buffer.from('#!/bin/sh\nexec ffmpeg "$@"\n'), /no 64-bit Linux program/],
  'of a broken archive': [gzipSync(elf({ machine: 0x3e })).subarray(0, 40), /cannot be unpacked/],
  'too large for a layer': [
    gzipSync(Buffer.alloc(200 * 1024 * 1024 + 1), { level: 1 }),
    /too large for a layer/,
  ],
  'that is too old': [
    elf({ machine: 0x3e, version: '8.1.1' }),
    /ffmpeg 8\.1\.1, which lacks security fixes\. Take 8\.1\.2 or newer/,
  ],
}

for (const [what, [program, sentence]] of Object.entries(refused))
  test(`refused, and nothing is left: a program ${what}`, async () => {
    const out = join(folder, 'refused')
    const args = ['--from', await file('refused-program', program), '--out', out]
    const made = await build(['--arch', 'x64', '--sha256', sum(program), ...args])
    assert.is(made.code, 1)
    assert.match(made.said, sentence)
    assert.not.match(made.said, /\n\s+at /)
    assert.is(await stat(out).catch(() => undefined), undefined)
  })

test('what is no whole 64-bit program is none', () => {
  const programs = [elf({ machine: 0x3e, bits: 1 }), elf({ machine: 0x3e, type: 1 })]
  for (const program of [...programs, elf({ machine: 0x3e }).subarray(0, 100)])
    assert.is(readElf(program), undefined)
})

test('a program needs its sum, and must have it', async () => {
  const program = elf({ machine: 0xb7 })
  const args = ['--from', await file('unknown', program), '--out', join(folder, 'unknown-layer')]
  for (const [more, sentence] of [
    [[], `Name the program's sum: --sha256 ${sum(program)}`],
    [['--sha256', '0'.repeat(64)], `not the expected one: SHA-256 ${sum(program)} instead of 000000`],
  ] as const) {
    const made = await build([...args, ...more])
    assert.is(made.code, 1)
    assert.match(made.said, sentence)
  }
})

test('a program from PyPI is not unpacked unless its wheel is the pinned one', async () => {
  const names: string[] = []
  const mirror = createServer((request, response) => {
    names.push(request.url ?? '')
    response.writeHead(names.length > 1 ? 404 : 200).end(elf({ machine: 0xb7 }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => mirror.once('listening', resolve))
  const out = join(folder, 'of-a-wheel')
  const from = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`
  const ask = (arch: string) => build(['--arch', arch, '--from', 'pypi', '--mirror', from, '--out', out])
  try {
    const other = await ask('arm64')
    assert.is(other.code, 1)
    assert.match(other.said, /_aarch64\.whl is not the expected file: SHA-256 \w{64} instead of \w{64}\.\n$/)
    assert.match((await ask('x64')).said, /_x86_64\.whl cannot be downloaded: status 404\.\n$/)
    assert.match(names.join(), /^\/imageio_ffmpeg-[\d.]+-.*_aarch64\.whl,.*_x86_64\.whl$/)
    assert.is(await stat(out).catch(() => undefined), undefined)
  } finally {
    mirror.closeAllConnections()
    await new Promise((resolve) => mirror.close(resolve))
  }
})

const hasPypi = await fetch('https://files.pythonhosted.org/', { signal: AbortSignal.timeout(5000) }).then(
  () => true,
  () => false,
)
test.skipUnless(hasPypi && process.platform === 'linux', 'PyPI cannot be reached, or this is no Linux')(
  'the pinned wheel holds a program that runs',
  async () => {
    const out = join(folder, 'of-pypi')
    const made = await build(['--arch', process.arch, '--from', 'pypi', '--out', out])
    assert.is(made.code, 0, made.said)
    assert.match(await readFile(join(out, 'licences/ffmpeg/NOTICE'), 'utf8'), /Origin: .*\.whl from PyPI\n/)
    const program = startServer(['-version'], {}, join(out, 'bin/ffmpeg'))
    assert.is(await program.ended, 0)
    assert.match(program.stdout(), /^ffmpeg version n?9\.0\.2/)
  },
)

test('releases from the first with the fixes on are new enough, and builds of its branch', () => {
  for (const [version, isTaken] of [
    ['5.1.9-0+deb12u1', false],
    ['7.0.2-static', false],
    ['8.1.2', true],
    ['n8.1.2-50-g1a748fe2cd', true],
    ['10.0', true],
  ] as const) {
    assert.is(versionOf(elf({ machine: 0x3e, version })), version)
    assert.is(isNewEnough(version), isTaken, version)
  }
})

test('wrong options are named', async () => {
  for (const [args, sentence] of [
    [['--arch', 'mips'], /--arch is mips; allowed is arm64 or x64\./],
    [['--sha256', 'abc'], /--sha256 takes 64 digits/],
    [['--from', join(folder, 'nowhere')], /nowhere/],
    [[], /Name a program: --from FILE/],
  ] as const) {
    const made = await build(args)
    assert.is(made.code, 1)
    assert.match(made.said, sentence)
    assert.not.match(made.said, /\n\s+at /)
  }
})

test('its package holds the program where functions look for it, and tells the service where it is', async () => {
  const program = elf({ machine: 0x3e })
  const copy = join(folder, 'service')
  for (const name of ['build.mjs', 'elf.js', 'programVersion.js', 'COPYING', 'serverless.yml'])
    await cp(join(layer, name), join(copy, name))
  await copyFile(join(projectRoot, 'package.json'), join(copy, 'package.json'))
  const own = ['--from', await file('packaged', program), '--sha256', sum(program)]
  assert.is((await build(['--arch', 'x64', ...own], join(copy, 'build.mjs'))).code, 0)

  // serverless asks which version is there already: none.
  const noStack =
    '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id lantern-room-ffmpeg-prod does not exist</Message></Error></ErrorResponse>'
  const asked: string[] = []
  const cloud = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    asked.push(new URLSearchParams(body).get('Action') ?? '')
    response.writeHead(400, { 'Content-Type': 'text/xml' }).end(noStack)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => cloud.once('listening', resolve))
  try {
    const to = join(folder, 'packages')
    await runServerless(
      copy,
      ['package', '--package', to, '--stage', 'prod', '--param=architecture=x86_64'],
      {
        AWS_ACCESS_KEY_ID: 'none',
        AWS_SECRET_ACCESS_KEY: 'none',
        AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`,
      },
      { needsNetwork: true },
    )
    assert.equal(asked, ['DescribeStacks'])
    const template = await readTemplate(join(to, 'cloudformation-template-update-stack.json'))
    const [[name, version] = []] = template.of('Lambda::LayerVersion')
    assert.equal(version?.CompatibleArchitectures, ['x86_64'])
    assert.is(version?.LicenseInfo, 'GPL-3.0-or-later')
    const [[, parameter] = []] = template.of('SSM::Parameter')
    assert.equal(
      [parameter?.Name, parameter?.Type, parameter?.Value],
      ['/lantern-room/prod/ffmpeg-layer/x86_64', 'String', { Ref: name }],
    )
    assert.equal(zipEntries(await readFile(join(to, 'ffmpeg.zip'))), [
      { name: 'bin/ffmpeg', size: program.length, mode: 0o755 },
      { name: 'licences/ffmpeg/COPYING', size: (await stat(join(layer, 'COPYING'))).size, mode: 0o644 },
      {
        name: 'licences/ffmpeg/NOTICE',
        size: (await stat(join(copy, 'dist/x86_64/licences/ffmpeg/NOTICE'))).size,
        mode: 0o644,
      },
    ])
  } finally {
    cloud.closeAllConnections()
    await new Promise((resolve) => cloud.close(resolve))
  }
})

async function build(args: readonly string[], script = join(layer, 'build.mjs')) {
  const process = startServer([script, ...args], {})
  return { code: await process.ended, said: `${process.stdout()}${process.stderr()}` }
}

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

function sum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The head of a Linux program with two parts, and only its version in them. @param options.interpreter whether it is loaded by another */
function elf(options: {
  machine: number
  bits?: 1 | 2
  type?: number
  interpreter?: boolean
  version?: string
}): Buffer {
  const { machine, bits = 2, type = 2, interpreter = false, version = '8.1.2' } = options
  const bytes = Buffer.alloc(64 + 2 * 56)
  bytes.set([0x7f, 0x45, 0x4c, 0x46, bits, 1, 1])
  bytes.writeUInt16LE(type, 16)
  bytes.writeUInt16LE(machine, 18)
  bytes.writeBigUInt64LE(64n, 32)
  bytes.writeUInt16LE(56, 54)
  bytes.writeUInt16LE(2, 56)
  bytes.writeUInt32LE(1, 64)
  bytes.writeUInt32LE(interpreter ? 3 : 1, 64 + 56)
  return Buffer.concat([bytes, Buffer.from(`%s version %s\0FFmpeg version ${version}\0`)])
}

test.run()
