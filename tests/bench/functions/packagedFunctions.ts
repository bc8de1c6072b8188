import { execFile } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readTemplate, type Template } from '#support/hosts/serverlessPackage'
import type { Settings } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { type FunctionOptions, type RunningFunction, startFunction } from './runtimeClient'

type Properties = {
  readonly FunctionName: string
  readonly Handler: string
  readonly Timeout: number
  readonly MemorySize: number
  readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> }
}

/** What a stack would run, by the logical names of its template. */
export type PackagedFunctions = {
  readonly template: Template
  /**
   * Invokes a function, in a process that has nothing to do or else in a new one.
   * @param read reads the answer to its end
   */
  invoke<T>(name: string, event: string, read: (answer: IncomingMessage) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/**
 * The functions of a folder that `serverless package` has filled, under AWS's runtime client.
 * @param settings besides those of the template that are no references
 */
export async function startPackagedFunctions(
  folder: string,
  client: string,
  settings: Settings,
): Promise<PackagedFunctions> {
  const template = await readTemplate(join(folder, 'cloudformation-template-update-stack.json'))
  const place = await makeTempFolder('lantern-tasks')
  const options = new Map<string, FunctionOptions>()
  for (const [name, properties] of template.of('Lambda::Function')) {
    const { FunctionName, Handler, Timeout, MemorySize, Environment } = properties as Properties
    const task = join(place, name)
    const zip = join(folder, `${FunctionName.split('-').at(-1)}.zip`)
    await promisify(execFile)('unzip', ['-q', zip, '-d', task])
    const said = Object.entries(Environment?.Variables ?? {}).filter(([, value]) => typeof value === 'string')
    options.set(name, {
      client,
      task,
      handler: Handler,
      timeoutSeconds: Timeout,
      memoryMb: MemorySize,
      settings: { ...(Object.fromEntries(said) as Settings), ...settings },
    })
  }
  const resting = new Map<string, RunningFunction[]>()
  const all: RunningFunction[] = []
  const start = async (name: string) => {
    const asked = options.get(name)
    if (!asked) throw new Error(`The template has no function ${name}.`)
    const started = await startFunction(asked)
    all.push(started)
    return started
  }
  return {
    template,
    async invoke(name, event, read) {
      const instance = resting.get(name)?.pop() ?? (await start(name))
      const result = await read(await instance.invoke(event))
      const rested = instance.rests().then(() => resting.set(name, [...(resting.get(name) ?? []), instance]))
      rested.catch(() => undefined)
      return result
    },
    async stop() {
      await Promise.all(all.map((one) => one.stop()))
      await removeFolders(place)
    },
  }
}
