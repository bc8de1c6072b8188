import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { projectRoot, type Settings } from '../process/serverProcess'

/** A resource of a CloudFormation template. */
export type Resource = { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }

export type Template = {
  readonly text: string
  readonly Resources: Readonly<Record<string, Resource>>
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>
  /** Properties of all resources of a type, as `Lambda::Function`, by logical name. */
  of(type: string): readonly (readonly [name: string, properties: Resource['Properties']])[]
}

export type PackageOptions = {
  readonly stage?: string
  /** As `--param="name=value"`. */
  readonly params?: Readonly<Record<string, string>>
  readonly settings?: Settings
  /** Where the packages go; they are removed without. */
  readonly folder?: string
}

const serverless = join(projectRoot, 'node_modules/serverless/bin/serverless.js')
/** Where serverless keeps the code that checks a serverless.yml: to make it takes longer than everything else. */
export const schemaCache = {
  SLS_SCHEMA_CACHE_BASE_DIR: join(projectRoot, 'node_modules/.cache/serverless'),
}
const canCutOff = spawnSync('unshare', ['-rn', 'true']).status === 0

/**
 * Runs `serverless package` without credentials and, where this machine can cut it off, without a network.
 * @throws Error what it said, when it fails
 */
export async function packageService(options: PackageOptions = {}): Promise<Template> {
  const place = await makeTempFolder('lantern-service')
  const service = join(place, 'service')
  try {
    const folder = options.folder ?? join(service, 'packages')
    await copyService(service)
    // Beside the service, where plugins are found as well: serverless reads all that is in the service's folder.
    await symlink(join(projectRoot, 'node_modules'), join(place, 'node_modules'))
    const args = [
      ...['package', '--package', folder],
      ...(options.stage === undefined ? [] : ['--stage', options.stage]),
      ...Object.entries(options.params ?? {}).map(([name, value]) => `--param=${name}=${value}`),
    ]
    await runServerless(service, args, options.settings)
    return await readTemplate(join(folder, 'cloudformation-template-update-stack.json'))
  } finally {
    await removeFolders(place)
  }
}

/** @param cwd the folder of a serverless.yml. @throws Error what it said, when it fails */
export async function runServerless(
  cwd: string,
  args: readonly string[],
  settings: Settings = {},
  { needsNetwork = false } = {},
): Promise<void> {
  const command = [process.execPath, serverless, ...args]
  const [program = '', ...rest] = canCutOff && !needsNetwork ? ['unshare', '-rn', ...command] : command
  // Nothing else of this machine's environment: neither settings nor accounts.
  const env = { PATH: process.env.PATH, HOME: cwd, ...schemaCache, ...settings }
  await promisify(execFile)(program, rest, { cwd, env }).catch(({ stdout, stderr, message }) => {
    throw new Error([message, stdout, stderr].join('\n'))
  })
}

export async function readTemplate(path: string): Promise<Template> {
  const text = await readFile(path, 'utf8')
  const { Resources, Outputs }: Pick<Template, 'Resources' | 'Outputs'> = JSON.parse(text)
  return {
    text,
    Resources,
    Outputs,
    of: (type) =>
      Object.entries(Resources)
        .filter(([, resource]) => resource.Type === `AWS::${type}`)
        .map(([name, { Properties }]) => [name, Properties] as const),
  }
}

/** Serverless works in a folder beside the serverless.yml: two at a time would be in each other's way. */
export async function copyService(to: string): Promise<void> {
  await mkdir(to)
  await Promise.all([
    ...['serverless.yml', 'package.json', 'dist/stack', 'handlers/stack/studio.on.yml'].map((name) =>
      cp(join(projectRoot, name), join(to, name), { recursive: true }),
    ),
    cp(join(projectRoot, 'dist/handlers'), join(to, 'dist/handlers'), {
      recursive: true,
      filter: (path) => !/\.(map|txt|tmp)$/.test(path),
    }),
  ])
}
