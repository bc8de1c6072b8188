import { parseWebAddress, type SettingReader } from '../environment'

/** A bucket of S3, or of a store that speaks like it. */
export type BucketSettings = {
  readonly bucket: string
  /** Address of a store that is not Amazon's, without a final slash. */
  readonly endpoint: string | undefined
  readonly region: string | undefined
  /** Begins the name of everything that is stored, without a slash at its end. */
  readonly prefix: string | undefined
}

const MAX_PREFIX_LENGTH = 200

/** @returns undefined when no bucket is named; the other settings are checked all the same */
export function readBucketSettings(read: SettingReader): BucketSettings | undefined {
  const bucket = read.parsed('S3_BUCKET', 'the name of a bucket: 3 to 63 of A–Z a–z 0–9 . _ -', (raw) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/.test(raw) ? raw : undefined,
  )
  const settings = {
    endpoint: read.parsed(
      'S3_ENDPOINT',
      'an http or https address such as https://s3.example.com',
      parseWebAddress,
    ),
    region: read.parsed('S3_REGION', 'the name of a region such as eu-central-1', parseRegion),
    prefix: read.parsed('S3_PREFIX', 'parts of A–Z a–z 0–9 . _ - with / between them', parsePrefix),
  }
  const machineRegion = read.text('AWS_REGION') ?? read.text('AWS_DEFAULT_REGION')
  return bucket === undefined ? undefined : { bucket, ...settings, region: settings.region ?? machineRegion }
}

/** Where browsers reach the bucket by addresses that it has signed. */
export function bucketOrigin(settings: BucketSettings | undefined): string | undefined {
  if (settings === undefined) return undefined
  return settings.endpoint === undefined ? 'https://*.amazonaws.com' : new URL(settings.endpoint).origin
}

function parseRegion(raw: string): string | undefined {
  return /^[A-Za-z0-9-]{1,64}$/.test(raw) ? raw : undefined
}

function parsePrefix(raw: string): string | undefined {
  const prefix = raw.replace(/\/$/, '')
  const isPart = (part: string) => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..'
  return prefix.length <= MAX_PREFIX_LENGTH && prefix.split('/').every(isPart) ? prefix : undefined
}
