import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from './findProgram'
import { projectRoot } from './serverProcess'

/**
 * Packages of PyPI in an environment of their own, which is made once.
 * @param name of the environment, which has to change with the packages
 * @param options of pip, which uv has, too: it takes a tenth of the processor time where it is installed
 */
export function pythonPackages(name: string, packages: readonly string[], options: readonly string[] = []) {
  const venv = join(projectRoot, 'node_modules/.cache', name)
  return {
    python: join(venv, 'bin/python'),
    /** Installs them. @returns why they cannot be had; undefined when they can */
    async missing(): Promise<string | undefined> {
      if (existsSync(venv)) return undefined
      const uv = findProgram('uv')
      if (!uv && spawnSync('python3', ['-c', 'import venv, ensurepip']).status !== 0)
        return 'python3 with venv is not installed'
      const run = promisify(execFile)
      const made = `${venv}-${process.pid}`
      try {
        const python = join(made, 'bin/python')
        if (uv) {
          await run(uv, ['venv', made])
          await run(uv, ['pip', 'install', '--python', python, ...options, ...packages])
        } else {
          await run('python3', ['-m', 'venv', made])
          // Most of what pip does is to compile modules of which few are ever loaded.
          await run(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...options, ...packages])
        }
        await rename(made, venv)
        return undefined
      } catch {
        await rm(made, { recursive: true, force: true })
        return `${packages[0]} cannot be installed from PyPI`
      }
    },
  }
}
