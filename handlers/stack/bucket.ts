import { join, type Resources, type StackSettings } from './settings'

const DAY_SECONDS = 86_400

/** The bucket for sessions and uploads: encrypted, not public, and reached by TLS only. */
export function bucketResources({ sessionTtlSeconds, allowedOrigins, kmsKey }: StackSettings): Resources {
  const rule =
    kmsKey === 'none'
      ? { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }
      : {
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: kmsKey },
          // Without it each object is a paid call to the key.
          BucketKeyEnabled: true,
        }
  const Properties = {
    BucketEncryption: { ServerSideEncryptionConfiguration: [rule] },
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    CorsConfiguration: { CorsRules: [uploadRule(allowedOrigins), READ_RULE] },
    LifecycleConfiguration: { Rules: lifecycleRules(sessionTtlSeconds) },
  }
  const PolicyDocument = { Version: '2012-10-17', Statement: [ONLY_BY_TLS] }
  return {
    MediaBucket: { Type: 'AWS::S3::Bucket', Properties },
    MediaBucketPolicy: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: { Bucket: { Ref: 'MediaBucket' }, PolicyDocument },
    },
  }
}

/**
 * Browsers are redirected to the bucket for what is too large for the gateway. A page's request that is redirected to another
 * origin has the origin `null`, which only the wildcard allows; the signed address is the permission.
 */
const READ_RULE = {
  AllowedMethods: ['GET'],
  AllowedOrigins: ['*'],
  AllowedHeaders: ['*'],
  ExposedHeaders: ['Accept-Ranges', 'Content-Range', 'Content-Length', 'Content-Disposition', 'ETag'],
  MaxAge: 3600,
}

/** Browsers send uploads directly to the bucket, by a presigned address. */
function uploadRule(allowedOrigins: readonly string[]) {
  return {
    AllowedMethods: ['PUT'],
    AllowedOrigins: allowedOrigins,
    AllowedHeaders: ['*'],
    ExposedHeaders: ['ETag'],
    MaxAge: 3600,
  }
}

/**
 * Expiry of what the sweep has missed. S3 counts whole days from the next midnight on, so that nothing expires early.
 * An upload that has waited for a day cannot be used any more; callbacks and quotas end with the day after.
 */
function lifecycleRules(sessionTtlSeconds: number) {
  const expire = (name: string, days: number) => ({
    Id: `expire-${name}`,
    Status: 'Enabled',
    Prefix: `${name}/`,
    ExpirationInDays: days,
  })
  return [
    expire('sessions', Math.ceil(sessionTtlSeconds / DAY_SECONDS)),
    expire('uploads', 1),
    // A check of the store removes the object that it writes, unless it was interrupted.
    expire('check', 1),
    expire('answers', 1),
    expire('waiting', 1),
    expire('callbacks', 2),
    expire('quotas', 2),
    {
      Id: 'abort-unfinished-uploads',
      Status: 'Enabled',
      Prefix: '',
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    },
  ]
}

const BUCKET_ARN = { 'Fn::GetAtt': ['MediaBucket', 'Arn'] }

const ONLY_BY_TLS = {
  Sid: 'OnlyByTls',
  Effect: 'Deny',
  Principal: '*',
  Action: 's3:*',
  Resource: [BUCKET_ARN, join(BUCKET_ARN, '/*')],
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
}
