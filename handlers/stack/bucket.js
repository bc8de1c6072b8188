const DAY_SECONDS = 86_400

/** The bucket that sessions and uploads live in. */
export function bucketResources({ sessionTtlSeconds, allowedOrigins }) {
  return {
    MediaBucket: {
      Type: 'AWS::S3::Bucket',
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        CorsConfiguration: { CorsRules: [uploadRule(allowedOrigins)] },
        LifecycleConfiguration: { Rules: lifecycleRules(sessionTtlSeconds) },
      },
    },
    MediaBucketPolicy: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: {
        Bucket: { Ref: 'MediaBucket' },
        PolicyDocument: { Version: '2012-10-17', Statement: [onlyByTls()] },
      },
    },
  }
}

export function bucketOutputs() {
  return { BucketName: { Description: 'Bucket of sessions and uploads', Value: { Ref: 'MediaBucket' } } }
}

/** Browsers send uploads to the bucket themselves, by an address that was signed for them. */
function uploadRule(allowedOrigins) {
  return {
    AllowedMethods: ['PUT'],
    AllowedOrigins: allowedOrigins,
    AllowedHeaders: ['*'],
    ExposedHeaders: ['ETag'],
    MaxAge: 3600,
  }
}

/**
 * What the sweep has missed. S3 counts whole days from the next midnight on, so that nothing goes before its time.
 * An upload that was not used within its hour is of no use.
 */
function lifecycleRules(sessionTtlSeconds) {
  const expire = (name, days) => ({
    Id: `expire-${name}`,
    Status: 'Enabled',
    Prefix: `${name}/`,
    ExpirationInDays: days,
  })
  return [
    expire('sessions', Math.ceil(sessionTtlSeconds / DAY_SECONDS)),
    expire('uploads', 1),
    // What a check of the store writes is gone at once, unless the check was ended between.
    expire('check', 1),
    {
      Id: 'abort-unfinished-uploads',
      Status: 'Enabled',
      Prefix: '',
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    },
  ]
}

function onlyByTls() {
  const bucket = { 'Fn::GetAtt': ['MediaBucket', 'Arn'] }
  return {
    Sid: 'OnlyByTls',
    Effect: 'Deny',
    Principal: '*',
    Action: 's3:*',
    Resource: [bucket, { 'Fn::Join': ['', [bucket, '/*']] }],
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  }
}
