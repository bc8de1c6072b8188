// npm run deploy -- --stage prod [--region …] [--param="name=value" …] [--aws-profile …]
// Builds and deploys the layer with ffmpeg, if the stage uses the one of its own, and then the service, and makes its functions live;
// in the end it asks the service whether it works. Every option is passed to serverless, which deploys only what has changed.
// With --rollback it deploys nothing, and makes the functions live again that were so before the last deployment.
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isNewEnough, versionOf } from '../../layers/ffmpeg/programVersion.js'
import {
  type Account,
  callLive,
  describeDeployed,
  lambdaOf,
  putStudio,
  readDeployed,
  requireCredentials,
  ringingAlarms,
} from './account'
import { canaryOf } from './canary'
import { askBehindAuthorizer, askHealth } from './health'
import { promote, rollBack } from './versions'

const root = fileURLToPath(new URL('../..', import.meta.url))
const layer = join(root, 'layers/ffmpeg')
const ROLLBACK = '--rollback'
const options = process.argv.slice(2).filter((option) => option !== ROLLBACK)

if (!options.some((option) => /^(--stage|-s)(=|$)/.test(option))) {
  console.error('Name a stage: npm run deploy -- --stage prod')
  process.exit(1)
}

const { architecture, region, stack, queue, canary, hasAuthorizer, takesPublishedLayer } = readService()
const account: Account = { root, region, profile: readProfile() }
await requireCredentials(account).catch(endWith)
if (process.argv.includes(ROLLBACK)) await rollBack(lambdaOf(account), { stack, queue }).catch(endWith)
else await deploy()
const deployed = await readDeployed(account, stack)
await putStudio(account, deployed, join(root, 'dist/local-runner/ui'))
console.log(`\n${describeDeployed(account, deployed)}\n`)
const { works, said } = await (hasAuthorizer
  ? askBehindAuthorizer(deployed, (event) => callLive(account, `${stack}-health`, event))
  : askHealth(deployed))
console.log(said)
if (!works)
  console.error(`The service does not work yet: see its logs, or go back to what was live by ${ROLLBACK}.`)
process.exitCode = works ? 0 : 1

async function deploy(): Promise<void> {
  if (takesPublishedLayer) {
    if (!(await isBuilt(join(layer, 'dist', architecture, 'bin/ffmpeg')))) buildProgram()
    const decided = ['--region', region, `--param=architecture=${architecture}`]
    serverless(layer, ['deploy', ...withoutDecided(options), ...decided])
  }
  serverless(root, ['deploy', ...options])
  const trial = canaryOf(canary, { alarms: () => ringingAlarms(account, stack), sleep })
  if (trial) console.log(`\nA canary is tried: ${canary} (percent of the calls, minutes)`)
  await promote(lambdaOf(account), { stack, queue }, trial).catch(endWith)
}

function endWith({ message }: Error): never {
  console.error(message)
  process.exit(1)
}

function readProfile(): string | undefined {
  const at = options.findIndex((option) => /^--aws-profile(=|$)/.test(option))
  return at < 0 ? undefined : (options[at]?.split('=')[1] ?? options[at + 1])
}

/** A program of an older release is built anew. */
async function isBuilt(path: string): Promise<boolean> {
  const program = await readFile(path).catch(() => Buffer.alloc(0))
  return isNewEnough(versionOf(program) ?? '0')
}

/** From source, or for a machine of another kind by the program that PyPI has. */
function buildProgram(): void {
  const ofThisMachine = { arm64: 'arm64', x64: 'x86_64' }[process.arch as string]
  if (process.platform === 'linux' && architecture === ofThisMachine) {
    run('bash', [join(layer, 'build-from-source.sh'), '--arch', architecture])
  } else run(process.execPath, [join(layer, 'build.mjs'), '--arch', architecture, '--from', 'pypi'])
}

/** The resolved configuration of this stage. */
function readService() {
  const text = serverless(root, ['print', '--format', 'json', ...options], 'pipe')
  const { service, provider, functions, custom } = JSON.parse(text.slice(text.indexOf('{')))
  const { architecture, region, stage } = provider
  return {
    architecture,
    region,
    stack: `${service}-${stage}`,
    queue: custom.queue,
    canary: custom.canary,
    hasAuthorizer: custom.authorizer !== 'none',
    takesPublishedLayer: JSON.stringify(functions.prepare.layers).includes('resolve:ssm'),
  }
}

/** The options for the layer's own serverless.yml, which gets its parameter and the region separately. */
function withoutDecided(all: readonly string[]): string[] {
  const kept: string[] = []
  for (const [at, option] of all.entries()) {
    const isValue = /^(--param|--region|-r)$/.test(all[at - 1] ?? '')
    if (!isValue && !/^(--param|--region|-r)(=|$)/.test(option)) kept.push(option)
  }
  return kept
}

function serverless(cwd: string, args: readonly string[], stdout: 'inherit' | 'pipe' = 'inherit') {
  return run(
    process.execPath,
    [join(root, 'node_modules/serverless/bin/serverless.js'), ...args],
    cwd,
    stdout,
  )
}

/** @returns its output if it is captured. Exits this process when the program fails. */
function run(
  program: string,
  args: readonly string[],
  cwd = root,
  stdout: 'inherit' | 'pipe' = 'inherit',
): string {
  const stdio = ['inherit', stdout, 'inherit'] as const
  const ended = spawnSync(program, args, { cwd, stdio: [...stdio], encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (ended.status === 0) return ended.stdout ?? ''
  if (ended.stdout) console.error(ended.stdout)
  return process.exit(ended.status ?? 1)
}
