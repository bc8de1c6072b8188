// What serverless.yml takes from here, each as `${file(handlers/stack/template.js):name}`.
import { alarmOutputs, alarmResources } from './alarms.js'
import { bucketOutputs, bucketResources } from './bucket.js'
import { environmentOf } from './environment.js'
import { gatewayResources } from './gateway.js'
import { FUNCTIONS, roleResources } from './roles.js'
import { readSettings } from './settings.js'
import { storageOf } from './storage.js'
import { tokenOutputs, tokenResources } from './token.js'

export async function environment({ resolveVariable }) {
  return environmentOf(await readSettings(resolveVariable))
}

/** MiB of temporary storage, by function. */
export async function storage({ resolveVariable }) {
  return storageOf(await readSettings(resolveVariable))
}

/** Of how many a function may run at once; absent where nothing is reserved. */
export async function concurrency({ resolveVariable }) {
  return (await readSettings(resolveVariable)).concurrency
}

export async function logRetentionDays({ resolveVariable }) {
  return (await readSettings(resolveVariable)).logRetentionDays
}

/** Longest time of an answer in milliseconds: what is not streamed must have come after 29 s. */
export async function answerWithin({ resolveVariable }) {
  const { responses } = await readSettings(resolveVariable)
  const within = (seconds) => Math.min(seconds * 1000, responses === 'stream' ? 900_000 : 29_000)
  const timeouts = await timeoutsOf(resolveVariable)
  return Object.fromEntries(FUNCTIONS.map((name) => [name, within(timeouts[name])]))
}

/** The layer that has ffmpeg: one by its ARN, or the one that was published last for this stage. */
export async function layer({ resolveVariable }) {
  const { layer: wanted, architecture, stage } = await readSettings(resolveVariable)
  const arn =
    wanted === 'published' ? `{{resolve:ssm:/lantern-room/${stage}/ffmpeg-layer/${architecture}}}` : wanted
  // Joined, because serverless takes no text for an ARN that does not begin as one.
  return { 'Fn::Join': ['', [arn]] }
}

export async function resources({ resolveVariable }) {
  const settings = await readSettings(resolveVariable)
  refuseOfflineDeploy(settings)
  return {
    Resources: {
      ...bucketResources(settings),
      ...tokenResources(settings),
      ...roleResources(),
      ...gatewayResources(settings),
      ...alarmResources(settings, await timeoutsOf(resolveVariable)),
    },
    Outputs: { ...bucketOutputs(), ...tokenOutputs(settings), ...alarmOutputs(settings) },
  }
}

/** Seconds that each function may run, from serverless.yml. */
async function timeoutsOf(resolveVariable) {
  const entries = FUNCTIONS.map(async (name) => [
    name,
    await resolveVariable(`self:functions.${name}.timeout`),
  ])
  return Object.fromEntries(await Promise.all(entries))
}

/** The stage without a name is for this machine: its functions would look for sessions on a disk that is not there. */
function refuseOfflineDeploy({ isOffline }) {
  if (isOffline && process.argv.includes('deploy'))
    throw new Error('Name a stage: npm run deploy -- --stage prod')
}
