// npm run deploy -- --stage prod [--region …] [--param="name=value" …] [--aws-profile …]
// Deploys the layer with ffmpeg, if the stage uses the published one, and then the service. Every option is passed to
// serverless, which deploys only what has changed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const layer = join(root, 'layers/ffmpeg')
const options = process.argv.slice(2)

if (!options.some((option) => /^(--stage|-s)(=|$)/.test(option))) {
  console.error('Name a stage: npm run deploy -- --stage prod')
  process.exit(1)
}

const { architecture, region, takesPublishedLayer } = await readService()
if (takesPublishedLayer) {
  const isBuilt = await access(join(layer, 'dist', architecture)).then(
    () => true,
    () => false,
  )
  if (!isBuilt) await run(process.execPath, [join(layer, 'build.mjs'), '--arch', architecture])
  const decided = ['--region', region, `--param=architecture=${architecture}`]
  await serverless(layer, ['deploy', ...withoutDecided(options), ...decided])
}
await serverless(root, ['deploy', ...options])

/** The resolved configuration of this stage. */
async function readService() {
  const text = await serverless(root, ['print', '--format', 'json', ...options], 'pipe')
  const { provider, functions } = JSON.parse(text.slice(text.indexOf('{')))
  const { architecture, region } = provider
  return {
    architecture,
    region,
    takesPublishedLayer: JSON.stringify(functions.prepare.layers).includes('resolve:ssm'),
  }
}

/** The options for the layer's own serverless.yml, which gets its parameter and the region separately. */
function withoutDecided(all) {
  const kept = []
  for (let at = 0; at < all.length; at++) {
    if (/^(--param|--region|-r)$/.test(all[at])) at++
    else if (!/^(--param|--region|-r)=/.test(all[at])) kept.push(all[at])
  }
  return kept
}

function serverless(cwd, args, stdout = 'inherit') {
  return run(process.execPath, [join(root, 'node_modules/serverless/bin/serverless.js'), ...args], {
    cwd,
    stdout,
  })
}

/** @returns its output if it is captured. Exits this process when the program fails. */
async function run(program, args, { cwd = root, stdout = 'inherit' } = {}) {
  const child = spawn(program, args, { cwd, stdio: ['inherit', stdout, 'inherit'] })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) {
    if (text !== '') console.error(text)
    process.exit(code ?? 1)
  }
  return text
}
