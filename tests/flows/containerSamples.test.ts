import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '#support/process/findProgram'
import { projectRoot } from '#support/process/serverProcess'
import { suite } from '#support/runner/suite'

// The samples of docs/containers.md, judged by the programs that they are for.

const test = suite('samples for containers', { timeoutMs: 60_000 })
const needed = { MEDIA_SERVICE_TOKEN: 'x', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }

for (const [program, ...args] of [
  ['caddy', 'validate', '--adapter', 'caddyfile', '--config', 'Caddyfile'],
  ['kubeconform', '-strict', 'kubernetes.yml'],
  ['docker-compose', '-f', 'compose.yml', 'config', '--quiet'],
] as const)
  test.skipUnless(findProgram(program), `${program} is not installed`)(
    `${program} takes its sample`,
    async () => {
      const env = { ...process.env, ...needed }
      await promisify(execFile)(program, args, { cwd: join(projectRoot, 'docs/containers'), env })
    },
  )

test.run()
