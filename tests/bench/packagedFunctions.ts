import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { motoMissing, startMoto } from '#support/hosts/moto'
import { packageService } from '#support/hosts/serverlessPackage'
import { inTempFolder } from '#support/process/tempFolder'
import { workerPath } from '#support/process/workerPath'
import { runFile } from '#support/runner/runFile'
import { openS3, s3Missing } from '#support/store/s3'

const OLDEST_NODE = 22

/** The contract of the media API, tried on the packaged functions under AWS's own runtime client, on an S3 that stands for AWS's. */
export async function benchPackagedFunctions(): Promise<void> {
  const client = process.env.RUNTIME_CLIENT ?? ''
  console.log('\nThe contract on the packaged functions under the runtime client of AWS')
  const isThere = existsSync(join(client, 'rapid-client.node'))
  if (!isThere) return console.log('  not tried: RUNTIME_CLIENT names no folder of a built aws-lambda-ric')
  const isOld = Number(process.versions.node.split('.')[0]) < OLDEST_NODE
  if (isOld) return console.log(`  not tried: the runtime client needs Node ${OLDEST_NODE}`)
  const missing = s3Missing ?? (await motoMissing())
  if (missing !== undefined) return console.log(`  not tried: ${missing}`)
  const [s3, moto] = await Promise.all([openS3(), startMoto()])
  try {
    const env = { ...s3.settings(''), RUNTIME_CLIENT: client }
    const queued = { QUEUE_ENDPOINT: String(moto.settings.AWS_ENDPOINT_URL) }
    await tryContract({ responses: 'stream', queue: 'on' }, { ...env, ...queued })
    await tryContract({ responses: 'buffer', queue: 'off' }, env)
  } finally {
    await Promise.all([s3.stop(), moto.stop()])
  }
}

async function tryContract(
  params: Readonly<Record<'responses' | 'queue', string>>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await inTempFolder('lantern-packages', async (folder) => {
    const PACKAGES = join(folder, params.responses)
    const options = { token: 'none', ffmpegLayer: 'arn:aws:lambda:eu-central-1:123456789012:layer:none:1' }
    await packageService({ stage: 'dev', params: { ...params, ...options }, folder: PACKAGES })
    const startedAt = performance.now()
    const never = new AbortController().signal
    const file = workerPath('bench/packagedSuite')
    const { passed, failures, skipped, cpuSeconds, output } = await runFile('packaged', file, never, {
      ...env,
      PACKAGES,
    })
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(
      `  ${params.responses}, queue ${params.queue}: ${passed} passed, ${failures.length} failed, ${skipped.length} are other tests' (${seconds} s, ${cpuSeconds?.toFixed(0)} s of a processor)`,
    )
    for (const failure of failures) console.log(`    FAIL ${failure}`)
    if (failures.length > 0) console.log(output)
  })
}
