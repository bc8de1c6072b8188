import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { Settings } from '../process/serverProcess'
import { missingForCeph, startCeph } from './ceph'

/** A real S3 with a bucket that tests may write. */
export type S3 = {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** For looking at it from outside of what is tested. */
  readonly client: S3Client
  /** What makes a host use it. @param prefix keeps what it stores apart */
  settings(prefix: string): Settings
  stop(): Promise<void>
}

// The SDK says on each start that this Node is old; in tests that hides what matters.
Object.assign(process.env, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' })

const named = namedServer()

/** Why no S3 can be had; undefined when it can. */
export const s3Missing =
  named !== undefined || missingForCeph().length === 0
    ? undefined
    : `${missingForCeph().join(', ')} not installed, and no S3_ENDPOINT, S3_BUCKET and AWS_* set`

/** It is started for the test alone: buckets may be made, and what is in it goes. */
export const s3IsOwn = named === undefined

/** A proxy of ours can stand before it. */
export const s3IsPlain = named === undefined || named.endpoint.startsWith('http:')

/** The S3 that `S3_ENDPOINT`, `S3_BUCKET` and `AWS_*` name, else one of its own on this machine. */
export async function openS3(): Promise<S3> {
  if (named !== undefined) return { ...surface(named), stop: async () => undefined }
  const ceph = await startCeph()
  const { accessKeyId, secretAccessKey, endpoint } = ceph
  const server = {
    endpoint,
    region: 'us-east-1',
    bucket: 'tests',
    credentials: { accessKeyId, secretAccessKey },
  }
  const own = surface(server)
  await own.client.send(new CreateBucketCommand({ Bucket: server.bucket }))
  const stop = async () => {
    own.client.destroy()
    await ceph.stop()
  }
  return { ...own, stop }
}

type Server = Pick<S3, 'endpoint' | 'region' | 'bucket' | 'credentials'>

function surface(server: Server): Server & Pick<S3, 'client' | 'settings'> {
  const { endpoint, region, bucket, credentials } = server
  return {
    ...server,
    client: new S3Client({
      endpoint,
      region,
      credentials,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    }),
    settings: (prefix) => ({
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_PREFIX: prefix,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }),
  }
}

function namedServer(): Server | undefined {
  const { S3_ENDPOINT, S3_BUCKET, S3_REGION, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } =
    process.env
  if (!S3_ENDPOINT || !S3_BUCKET || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined
  return {
    endpoint: S3_ENDPOINT.replace(/\/+$/, ''),
    region: S3_REGION || AWS_REGION || 'us-east-1',
    bucket: S3_BUCKET,
    credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
  }
}
