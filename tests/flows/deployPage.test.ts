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
import { until } from '#support/values/until'

// The shell blocks of docs/deploy.md, run one after the other as a reader does, against an emulator of AWS: all but the last in one
// shell, then a canary of the stack that they made, and the last, which removes it. Only `npm` is replaced: the packages are installed
// and everything is built. The emulator has no gateway that answers.

const page = await readFile(join(projectRoot, 'docs/deploy.md'), 'utf8')
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
const missing = await motoMissing()
const suiteOf = suite('docs/deploy.md', { timeoutMs: 400_000 })
const test = suiteOf.skipUnless(missing === undefined, missing ?? '')
const folder = await folderOfSuite('lantern-deploy')
const project = join(folder, 'project')
const REGION = 'eu-central-1'
let moto: Moto
let bucket = ''

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
  const stdout = await shell(`${blocks.slice(0, -1).join('\n')}\necho "BUCKET $BUCKET"`)
  bucket = /^BUCKET (\S+)$/m.exec(stdout)?.[1] ?? ''
  const [, endpoint = ''] = /^ +ServiceEndpoint +(https:\S+)$/m.exec(stdout) ?? []
  assert.match(stdout, `GET ${endpoint}/health: 200 it works`)
  assert.match(stdout, `TOKEN=$(aws secretsmanager get-secret-value --region eu-central-1 --secret-id arn:`)
  // Deployed, deployed with another setting, and rolled back.
  const live = [...stdout.matchAll(/"live",\s+"(\d+)"/g)].map(([, version]) => version)
  assert.equal(live, ['1', '2', '1'])
  assert.match(stdout, `curl -I -H Authorization: Bearer of-the-stack ${endpoint}/health`)
})

test('a canary has its share of the calls until an alarm rings, and then none', async () => {
  const aws = async (...args: readonly string[]) =>
    JSON.parse((await run('aws', [...args, '--region', REGION])).stdout || '{}')
  /** The alias of a function without a layer. */
  const live = async () => {
    const asked = ['--function-name', 'lantern-room-media-prod-upload', '--name', 'live']
    const { FunctionVersion, RoutingConfig } = await aws('lambda', 'get-alias', ...asked)
    const weights: Readonly<Record<string, number>> = RoutingConfig?.AdditionalVersionWeights ?? {}
    return { version: FunctionVersion, weights }
  }
  const before = await live()
  // The emulator takes no third deployment of the layer's stack.
  const own =
    "Layers[?starts_with(LayerName, 'lantern-room-ffmpeg-prod')].LatestMatchingVersion.LayerVersionArn"
  const [version] = await aws('lambda', 'list-layers', '--query', own)
  const layer = `--param=ffmpegLayer=${version}`
  const args = ['dist/stack/deploy.js', '--stage', 'prod', '--region', REGION, layer, '--param=canary=10:15']
  // A setting by which functions change.
  const ended = rejection(run(process.execPath, args, { MAX_CLIP_SECONDS: '30' }))
  let during = before
  const hasShare = async () => {
    during = await live()
    return Object.keys(during.weights).length > 0
  }
  const isTried = until('a share is tried', hasShare, { everyMs: 2000, ms: 240_000 })
  await Promise.race([isTried, ended.then((error) => Promise.reject(error))])
  assert.equal([during.version, Object.values(during.weights)], [before.version, [0.1]])
  // The emulator makes no alarms of a stack: this is one with the name that CloudFormation gives them.
  const name = 'lantern-room-media-prod-UploadFailuresAlarm-1A2B3C'
  const watched = ['--namespace', 'AWS/Lambda', '--metric-name', 'Errors', '--statistic', 'Sum']
  const compared = ['--comparison-operator', 'GreaterThanThreshold', '--threshold', '1']
  const periods = ['--period', '300', '--evaluation-periods', '1']
  await aws('cloudwatch', 'put-metric-alarm', '--alarm-name', name, ...watched, ...compared, ...periods)
  const rings = ['--alarm-name', name, '--state-value', 'ALARM', '--state-reason', 'a test']
  await aws('cloudwatch', 'set-alarm-state', ...rings)
  const { stdout, stderr } = (await ended) as { stdout: string; stderr: string }
  assert.match(stdout, 'A canary is tried: 10:15 (percent of the calls, minutes)')
  assert.match(stderr, `The alarm ${name} rings: what was live before is live again for all calls.`)
  assert.equal(await live(), before)
})

test('its last block removes everything', async () => {
  const last = blocks.at(-1) ?? ''
  assert.match(last, 'serverless remove')
  await shell(`BUCKET=${bucket}\n${last}`)
  const { stdout } = await run('aws', ['cloudformation', 'list-stacks', '--region', REGION])
  const kept = JSON.parse(stdout).StackSummaries.filter(
    ({ StackStatus }: { StackStatus: string }) => StackStatus !== 'DELETE_COMPLETE',
  )
  assert.equal(
    kept.map(({ StackName }: { StackName: string }) => StackName),
    ['lantern-room-media-plain'],
  )
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

async function shell(commands: string): Promise<string> {
  const { stdout } = await run('bash', ['-c', NPM + commands]).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

function run(program: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const NODE_OPTIONS = `--import=${join(folder, 'gateway.mjs')}`
  const env = { HOME: folder, NODE_OPTIONS, ...schemaCache, ...moto.settings, ...settings }
  return promisify(execFile)(program, args, { cwd: project, env, maxBuffer: 2 ** 26 })
}

suiteOf.run()
