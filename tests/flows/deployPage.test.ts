import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Moto, motoMissing, startMoto } from '#support/hosts/moto'
import { copyService, schemaCache } from '#support/hosts/serverlessPackage'
import { projectRoot } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

// The shell blocks of docs/deploy.md, run one after the other in one shell as a reader does, against an emulator of AWS. Only
// `npm` is replaced: the packages are installed and everything is built. The emulator has no gateway that answers.

const page = await readFile(join(projectRoot, 'docs/deploy.md'), 'utf8')
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
const missing = await motoMissing()
const suiteOf = suite('docs/deploy.md', { timeoutMs: 400_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const folder = await folderOfSuite('lantern-deploy')
const project = join(folder, 'project')
let moto: Moto

const NPM = `set -eu
staged=
npm() {
  case "$*" in
    ci) ;;
    'run deploy -- '*) shift 3; node dist/stack/deploy.js "$@"; stage; live ;;
    'run package -- '*) shift 3; npx serverless package "$@" ;;
    *) return 1 ;;
  esac
}
curl() { echo "curl $*"; }
# A function without a layer: the emulator cannot change others.
live() { aws lambda get-alias --function-name lantern-room-media-prod-upload --name live --query '[Name, FunctionVersion]'; }
# The emulator passes over stages that are resources of a template; a later deployment keeps the first one's.
stage() {
  [ -z "$staged" ] || return 0
  staged=yes
  export AWS_DEFAULT_REGION=eu-central-1
  of="--rest-api-id $(aws apigateway get-rest-apis --query 'items[0].id' --output text)"
  id=$(aws apigateway get-deployments $of --query 'items[0].id' --output text)
  aws apigateway create-stage $of --stage-name prod --deployment-id "$id"
}
`
const GATEWAY = `const real = fetch
globalThis.fetch = async (url, init) => String(url).includes('.execute-api.')
  ? new Response(init?.headers?.Authorization?.startsWith('Bearer ') ? 'it works' : 'no token')
  : real(url, init)
`

suiteOf.before(async () => {
  if (missing !== undefined) return
  await copyService(project)
  // Beside the project, where they are found as well: serverless reads all that is in the project's folder, for each function.
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  await mkdir(join(project, 'node_modules'))
  await symlink(join(projectRoot, 'node_modules/serverless'), join(project, 'node_modules/serverless'))
  await cp(join(projectRoot, 'docs'), join(project, 'docs'), { recursive: true })
  await mkdir(join(project, 'layers/ffmpeg/dist/arm64/bin'), { recursive: true })
  await cp(join(projectRoot, 'layers/ffmpeg/serverless.yml'), join(project, 'layers/ffmpeg/serverless.yml'))
  // What the deployment takes for a program that is built already.
  await writeFile(join(project, 'layers/ffmpeg/dist/arm64/bin/ffmpeg'), 'FFmpeg version 8.1.2\0')
  await writeFile(join(folder, 'gateway.mjs'), GATEWAY)
  moto = await startMoto()
})
suiteOf.after(() => moto?.stop())

test('its blocks work one after the other', async () => {
  assert.ok(blocks.length >= 6)
  const { stdout } = await run('bash', ['-c', NPM + blocks.join('\n')]).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  const [, endpoint = ''] = /^ +ServiceEndpoint +(https:\S+)$/m.exec(stdout) ?? []
  assert.match(stdout, `GET ${endpoint}/health: 200 it works`)
  assert.match(stdout, `TOKEN=$(aws secretsmanager get-secret-value --region eu-central-1 --secret-id arn:`)
  // Deployed, deployed with another setting, and rolled back.
  const live = [...stdout.matchAll(/"live",\s+"(\d+)"/g)].map(([, version]) => version)
  assert.equal(live, ['1', '2', '1'])
  assert.match(stdout, `curl -I -H Authorization: Bearer of-the-stack ${endpoint}/health`)
})

test('without credentials nothing is begun, and one sentence says so', async () => {
  const none = { AWS_ACCESS_KEY_ID: '', AWS_EC2_METADATA_DISABLED: 'true' }
  const ended = run(process.execPath, ['dist/stack/deploy.js', '--stage', 'prod'], none)
  const failed = (await rejection(ended)) as { stdout: string; stderr: string }
  assert.match(
    failed.stderr,
    /^AWS accepts no credentials from here \([^\n]*\): set AWS_ACCESS_KEY_ID [^\n]*\.\n$/,
  )
  assert.is(failed.stdout, '')
})

function run(program: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const NODE_OPTIONS = `--import=${join(folder, 'gateway.mjs')}`
  const env = { HOME: folder, NODE_OPTIONS, ...schemaCache, ...moto.settings, ...settings }
  return promisify(execFile)(program, args, { cwd: project, env, maxBuffer: 2 ** 26 })
}

suiteOf.run()
