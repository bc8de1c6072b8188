// npm run deploy -- --stage prod [--region …] [--param="name=value" …] [--aws-profile …]
// Builds and deploys the layer with ffmpeg, if the stage uses the one of its own, and then the service; in the end it asks the
// service whether it works. Every option is passed to serverless, which deploys only what has changed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNewEnough, versionOf } from '../../layers/ffmpeg/programVersion.js'
import { type Account, askHealth, describeDeployed, readDeployed, requireCredentials } from './account'

const root = fileURLToPath(new URL('../..', import.meta.url))
const layer = join(root, 'layers/ffmpeg')
const options = process.argv.slice(2)

if (!options.some((option) => /^(--stage|-s)(=|$)/.test(option))) {
  console.error('Name a stage: npm run deploy -- --stage prod')
  process.exit(1)
}

const { architecture, region, stack, takesPublishedLayer } = await readService()
const account: Account = { root, region, profile: readProfile() }
await requireCredentials(account).catch(({ message }: Error) => {
  console.error(message)
  process.exit(1)
})
if (takesPublishedLayer) {
  if (!(await isBuilt(join(layer, 'dist', architecture, 'bin/ffmpeg')))) {
    await run('bash', [join(layer, 'build-from-source.sh'), '--arch', architecture])
  }
  const decided = ['--region', region, `--param=architecture=${architecture}`]
  await serverless(layer, ['deploy', ...withoutDecided(options), ...decided])
}
await serverless(root, ['deploy', ...options])
const deployed = await readDeployed(account, stack)
console.log(`\n${describeDeployed(account, deployed)}\n`)
const { works, said } = await askHealth(deployed)
console.log(said)
if (!works) console.error('The stack is deployed, but the service does not work yet: see its logs.')
process.exitCode = works ? 0 : 1

function readProfile(): string | undefined {
  const at = options.findIndex((option) => /^--aws-profile(=|$)/.test(option))
  return at < 0 ? undefined : (options[at]?.split('=')[1] ?? options[at + 1])
}

/** A program of an older release is built anew. */
async function isBuilt(path: string): Promise<boolean> {
  const program = await readFile(path).catch(() => Buffer.alloc(0))
  return isNewEnough(versionOf(program) ?? '0')
}

/** The resolved configuration of this stage. */
async function readService() {
  const text = await serverless(root, ['print', '--format', 'json', ...options], 'pipe')
  const { service, provider, functions } = JSON.parse(text.slice(text.indexOf('{')))
  const { architecture, region, stage } = provider
  return {
    architecture,
    region,
    stack: `${service}-${stage}`,
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
  return run(process.execPath, [join(root, 'node_modules/serverless/bin/serverless.js'), ...args], {
    cwd,
    stdout,
  })
}

/** @returns its output if it is captured. Exits this process when the program fails. */
async function run(
  program: string,
  args: readonly string[],
  { cwd = root, stdout = 'inherit' }: { readonly cwd?: string; readonly stdout?: 'inherit' | 'pipe' } = {},
): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['inherit', stdout, 'inherit'] })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) {
    if (text !== '') console.error(text)
    process.exit(code ?? 1)
  }
  return text
}
