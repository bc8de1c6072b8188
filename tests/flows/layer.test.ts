import { createHash } from 'node:crypto'
import { copyFile, cp, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readTemplate, runServerless } from '#support/hosts/serverlessPackage'
import { openPort } from '#support/process/openPort'
import { projectRoot, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { zipEntries } from '#support/values/zipEntries'

// The layer with ffmpeg: what it may be made of, what is in it, and how it is packaged.

const test = suite('the ffmpeg layer', { timeoutMs: 60_000 })
const layer = join(projectRoot, 'layers/ffmpeg')
const folder = await folderOfSuite(test, 'lantern-layer')
let server: Server
let address = ''
/** What the server has to give, by path. */
const offered = new Map<string, Buffer>()

test.before(async () => {
  server = createServer((request, response) => {
    const bytes = offered.get(request.url ?? '')
    if (bytes) response.end(bytes)
    else response.writeHead(404).end('nothing here')
  })
  address = `http://127.0.0.1:${await openPort(server)}`
})
test.after(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

for (const [arch, machine] of [
  ['x64', 0x3e],
  ['arm64', 0xb7],
] as const)
  test(`a static program for ${arch} becomes a layer with its licence`, async () => {
    const program = elf({ machine })
    const from = await file(`ffmpeg-${arch}`, program)
    const out = join(folder, `layer-${arch}`)
    const own = ['--sha256', sum(program), '--origin', 'a test']
    for (const source of [from, await file(`${arch}.gz`, gzipSync(program))]) {
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

const refused: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'for another processor': [elf({ machine: 0xb7 }), /The program is for arm64, and not for x86_64\./],
  'for a processor that Lambda does not have': [elf({ machine: 0x28 }), /The program is for another/],
  'that needs libraries': [elf({ machine: 0x3e, interpreter: true }), /must be linked statically/],
  'of 32 bits': [elf({ machine: 0x3e, bits: 1 }), /no 64-bit Linux program/],
  'that is an object file': [elf({ machine: 0x3e, type: 1 }), /no 64-bit Linux program/],
  'that ends in its head': [elf({ machine: 0x3e }).subarray(0, 100), /no 64-bit Linux program/],
  'that is a script': [Buffer.from('#!/bin/sh\nexec ffmpeg "$@"\n'), /no 64-bit Linux program/],
  'that is nothing': [Buffer.alloc(0), /no 64-bit Linux program/],
  'of a broken archive': [gzipSync(elf({ machine: 0x3e })).subarray(0, 40), /cannot be unpacked/],
  'too large for a layer': [gzipSync(Buffer.alloc(160 * 1024 * 1024 + 1)), /too large for a layer/],
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

test('a program that is not the pinned one needs its sum', async () => {
  const program = elf({ machine: 0xb7 })
  const made = await build(['--from', await file('unknown', program), '--out', join(folder, 'unknown-layer')])
  assert.is(made.code, 1)
  assert.match(
    made.said,
    new RegExp(
      `SHA-256 ${sum(program)} instead of 6bb182d0d75d23028db82e9e4f723ca69b853d055698486e6984ddb2c06fb8ce`,
    ),
  )
})

test('a download that is not the pinned file is refused: another, a longer, none', async () => {
  const url = (name: string) => ['--url', `${address}/${name}`, '--out', join(folder, 'downloaded')]
  offered.set('/other/ffmpeg-linux-arm64.gz', gzipSync(elf({ machine: 0xb7 })))
  offered.set('/longer/ffmpeg-linux-arm64.gz', Buffer.alloc(30_000_000))
  for (const [name, sentence] of [
    ['other', /is not the file that was pinned/],
    ['longer', /is not the file that was pinned/],
    ['none', /answered 404\. Download it elsewhere and name it: --from FILE/],
  ] as const) {
    const made = await build(url(name))
    assert.is(made.code, 1, name)
    assert.match(made.said, sentence)
  }
})

test('wrong options are named', async () => {
  for (const [args, sentence] of [
    [['--arch', 'mips'], /--arch is mips; allowed is arm64 or x64\./],
    [['--sha256', 'abc'], /--sha256 takes 64 digits/],
    [['--from', join(folder, 'nowhere')], /nowhere/],
    [['--form', 'x'], /--form/],
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
  for (const name of ['build.mjs', 'elf.js', 'releases.js', 'COPYING', 'serverless.yml'])
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

/** The head of a Linux program with two parts, and nothing in them. @param options.interpreter whether it is loaded by another */
function elf(options: { machine: number; bits?: 1 | 2; type?: number; interpreter?: boolean }): Buffer {
  const { machine, bits = 2, type = 2, interpreter = false } = options
  const bytes = Buffer.alloc(64 + 2 * 56)
  bytes.set([0x7f, 0x45, 0x4c, 0x46, bits, 1, 1])
  bytes.writeUInt16LE(type, 16)
  bytes.writeUInt16LE(machine, 18)
  bytes.writeBigUInt64LE(64n, 32)
  bytes.writeUInt16LE(56, 54)
  bytes.writeUInt16LE(2, 56)
  bytes.writeUInt32LE(1, 64)
  bytes.writeUInt32LE(interpreter ? 3 : 1, 64 + 56)
  return bytes
}
