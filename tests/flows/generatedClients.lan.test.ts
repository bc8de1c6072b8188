import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { addressOf, startBothServices } from '#support/process/bothServices'
import { closingOfEachTest } from '#support/process/closing'
import { findProgram } from '#support/process/findProgram'
import { QUICK_JAVA } from '#support/process/java'
import { projectRoot, type ServerProcess } from '#support/process/serverProcess'
import { startProcessTarget } from '#support/room/roomTargets'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

// Clients that generators write from the OpenAPI documents of running services: they compile, and each does a whole session.

const test = suite('clients that generators write', { timeoutMs: 180_000 })
const { keep, add } = closingOfEachTest(test)
const execute = promisify(execFile)

const CLIENTS = join(projectRoot, 'tests/clients')
const PACKAGES = join(CLIENTS, 'node_modules')
const JARS = join(CLIENTS, 'target/dependency')
const DOCUMENTS = ['media', 'room'] as const

let services: ServerProcess
test.after(() => services.end())
const folder = await mediaFolderOfSuite()
let mediaUrl: string

test.before(async () => {
  await folder.make('video.mp4', film('320x240', 2))
  services = startBothServices(folder.path('data'), { LOG_LEVEL: 'error' })
  mediaUrl = await addressOf(services, 'motion photo API')
  const urls = { media: mediaUrl, room: await addressOf(services, 'room service') }
  for (const name of DOCUMENTS) {
    const response = await fetch(`${urls[name]}/openapi.json`)
    await writeFile(folder.path(`${name}.json`), await response.text())
  }
})

const generator = findProgram('openapi-generator-cli')
const lacksOfJava = [
  ...(generator ? [] : ['openapi-generator-cli is not installed']),
  ...(findProgram('javac') ? [] : ['javac is not installed']),
  ...(existsSync(JARS) ? [] : ['no libraries: mvn -f tests/clients/pom.xml dependency:copy-dependencies']),
]

test.skipUnless(lacksOfJava.length === 0, lacksOfJava.join(', '))(
  'openapi-generator: its Java clients compile, and do a session with each service',
  async () => {
    const env = { ...process.env, JAVA_OPTS: QUICK_JAVA[0] }
    for (const name of DOCUMENTS) {
      const names = `invokerPackage=${name},apiPackage=${name}.api,modelPackage=${name}.model`
      const properties = `openApiNullable=false,${names}`
      const args = [
        'generate',
        '-g',
        'java',
        '--library',
        'okhttp-gson',
        '--additional-properties',
        properties,
      ]
      const files = ['-i', folder.path(`${name}.json`), '-o', folder.path(`java-${name}`)]
      await execute(generator ?? '', [...args, ...files], { env, maxBuffer: 10_000_000 })
    }
    const sources = await Promise.all(
      DOCUMENTS.map((name) => javaFilesIn(folder.path(`java-${name}/src/main/java`))),
    )
    const classes = folder.path('classes')
    await writeFile(
      folder.path('javac.txt'),
      [...sources.flat(), join(CLIENTS, 'Session.java')].map((path) => `"${path}"\n`).join(''),
    )
    const options = ['-nowarn', '-proc:none', '-cp', join(JARS, '*'), '-d', classes]
    await execute('javac', ['-J-XX:TieredStopAtLevel=1', ...options, `@${folder.path('javac.txt')}`])
    await wholeSessions('java', [...QUICK_JAVA, '-cp', [classes, join(JARS, '*')].join(delimiter), 'Session'])
  },
)

const lacksOfTypeScript = [
  ...(existsSync(PACKAGES) ? [] : ['no generator: npm ci --prefix tests/clients']),
  ...('WebSocket' in globalThis ? [] : ['this Node has no WebSocket']),
]

test.skipUnless(lacksOfTypeScript.length === 0, lacksOfTypeScript.join(', '))(
  'openapi-typescript and openapi-fetch: the same',
  async () => {
    const bin = (name: string) => join(PACKAGES, '.bin', name)
    for (const name of DOCUMENTS)
      await execute(bin('openapi-typescript'), [
        folder.path(`${name}.json`),
        '--default-non-nullable=false',
        '-o',
        folder.path(`${name}.ts`),
      ])
    await symlink(PACKAGES, folder.path('node_modules'))
    await writeFile(folder.path('package.json'), '{"type":"module"}')
    await copyFile(join(CLIENTS, 'session.ts'), folder.path('session.ts'))
    const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')]
    const options = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--skipLibCheck',
      ...types,
    ]
    await execute(bin('tsc'), [...options, folder.path('session.ts')])
    await wholeSessions(process.execPath, [folder.path('session.js')])
  },
)

/** What the program of `tests/clients` says of both sessions. @throws with what it printed when it fails */
async function wholeSessions(program: string, args: readonly string[]): Promise<void> {
  const media = await execute(program, [...args, 'media', mediaUrl, folder.path('video.mp4')])
  const number = '[1-9]\\d{3,}'
  assert.match(
    media.stdout,
    new RegExp(`^files ${number} ${number}\n(gallery \\w+ \\w+\n)+extracted ${number}\n`),
  )
  for (const gallery of ['google', 'samsung', 'oppo'])
    assert.match(media.stdout, `\ngallery ${gallery} yes\n`)
  assert.match(media.stdout, /\ncleanup The session and its files are removed\.\nthen 404\n$/)

  const world = keep(await startWorld())
  const [host, guest] = await Promise.all([startProcessTarget(), startProcessTarget()])
  add(host.stop)
  add(guest.stop)
  const room = await execute(program, [...args, 'room', host.url, guest.url, String(world.port)])
  assert.match(
    room.stdout,
    /^contract 1\.\d+\nfeed 1\.\d+ host-ok\njoined 127\.0\.0\.1(:\d+)?\nstatus Guest_Running\nstopped\n$/,
  )
}

async function javaFilesIn(top: string): Promise<string[]> {
  const entries = await readdir(top, { recursive: true })
  return entries.filter((entry) => entry.endsWith('.java')).map((entry) => join(top, entry))
}

test.run()
