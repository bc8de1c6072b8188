import { readFileSync } from 'node:fs'
import { ConfigError, type Environment } from '@lantern-room/base/settings'

/** Settings that may lie in files, as Docker and Kubernetes mount secrets: `MEDIA_SERVICE_TOKEN_FILE` names the one of the first. */
const SECRETS = ['MEDIA_SERVICE_TOKEN', 'MEDIA_SERVICE_TOKENS', 'CALLBACK_SECRET']

/**
 * The settings with the secrets that lie in files, without the space and the line end behind them.
 * @throws ConfigError for a file that cannot be read or is empty, and for a secret that is also set itself
 */
export function withSecretFiles(env: Environment): Environment {
  const named = SECRETS.filter((name) => env[`${name}_FILE`]?.trim())
  const problems: string[] = []
  const read = named.map((name) => {
    const path = env[`${name}_FILE`]?.trim() ?? ''
    if (env[name]?.trim()) problems.push(`${name} and ${name}_FILE: set one of the two.`)
    return [name, readSecret(`${name}_FILE`, path, problems)] as const
  })
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...env, ...Object.fromEntries(read) }
}

function readSecret(setting: string, path: string, problems: string[]): string {
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret === '') problems.push(`${setting}: the file ${path} is empty.`)
    return secret
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    problems.push(
      `${setting}: the file ${path} cannot be read (${code}). Let the user of this program read it.`,
    )
    return ''
  }
}
