import { closedBucket } from './bucket'
import { API, join, type Outputs, PARTITION, REGION, type Resources, type StackSettings } from './settings'

/** The studio and the API at one address: a CDN in front of a bucket with the page, and of the gateway. */

/** Policies that every account has. @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html */
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad'
/** No frames of other sites, which a page cannot say of itself. */
const SECURITY_HEADERS = '67f7725c-6f97-4210-82d7-5512b31e9d03'
const ALL_BUT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac'
/** The page and its workers, by their names in the bucket, with their media types. */
const STUDIO_PAGE = 'studio.html'
export const STUDIO_FILES = {
  [STUDIO_PAGE]: 'text/html',
  'studio-worker.js': 'text/javascript',
  'studio-photos.js': 'text/javascript',
}
const ALL_METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE']
/** The longest that CloudFront waits for an answer to begin, unless an account has asked for more. */
const LONGEST_WAIT_SECONDS = 60

export function studioResources({ studio, service, stage }: StackSettings): Resources {
  if (studio === 'off') return {}
  return {
    ...closedBucket('StudioBucket', {}, 'none', READ_BY_DISTRIBUTION),
    StudioAccess: {
      Type: 'AWS::CloudFront::OriginAccessControl',
      Properties: {
        OriginAccessControlConfig: {
          Name: `${service}-${stage}`,
          OriginAccessControlOriginType: 's3',
          SigningBehavior: 'always',
          SigningProtocol: 'sigv4',
        },
      },
    },
    StudioDistribution: {
      Type: 'AWS::CloudFront::Distribution',
      Properties: { DistributionConfig: distribution(`${service}-${stage}`, stage) },
    },
  }
}

const CDN_NAME = { 'Fn::GetAtt': ['StudioDistribution', 'DomainName'] }
export const STUDIO_ADDRESS = join('https://', CDN_NAME)
export const STUDIO_OUTPUTS: Outputs = {
  StudioBucketName: { Description: 'Bucket of the studio', Value: { Ref: 'StudioBucket' } },
  StudioAddress: { Description: 'Address of the studio and the API', Value: STUDIO_ADDRESS },
}

function distribution(Comment: string, stage: string) {
  const shared = {
    ViewerProtocolPolicy: 'redirect-to-https',
    CachePolicyId: CACHING_DISABLED,
    Compress: true,
  }
  return {
    Enabled: true,
    Comment,
    HttpVersion: 'http2and3',
    DefaultRootObject: STUDIO_PAGE,
    Origins: [
      {
        Id: 'page',
        DomainName: { 'Fn::GetAtt': ['StudioBucket', 'RegionalDomainName'] },
        OriginAccessControlId: { 'Fn::GetAtt': ['StudioAccess', 'Id'] },
        S3OriginConfig: {},
      },
      {
        Id: 'api',
        DomainName: join(API, '.execute-api.', REGION, '.', { Ref: 'AWS::URLSuffix' }),
        OriginPath: `/${stage}`,
        CustomOriginConfig: {
          OriginProtocolPolicy: 'https-only',
          OriginSSLProtocols: ['TLSv1.2'],
          OriginReadTimeout: LONGEST_WAIT_SECONDS,
        },
      },
    ],
    // The root by the name that it becomes, too.
    CacheBehaviors: ['', ...Object.keys(STUDIO_FILES)].map((name) => ({
      ...shared,
      PathPattern: `/${name}`,
      TargetOriginId: 'page',
      ResponseHeadersPolicyId: SECURITY_HEADERS,
    })),
    DefaultCacheBehavior: {
      ...shared,
      TargetOriginId: 'api',
      AllowedMethods: ALL_METHODS,
      OriginRequestPolicyId: ALL_BUT_HOST,
    },
  }
}

const ACCOUNT = { Ref: 'AWS::AccountId' }
const CDN = { Ref: 'StudioDistribution' }

const READ_BY_DISTRIBUTION = {
  Sid: 'ReadByDistribution',
  Effect: 'Allow',
  Principal: { Service: 'cloudfront.amazonaws.com' },
  Action: 's3:GetObject',
  Resource: join({ 'Fn::GetAtt': ['StudioBucket', 'Arn'] }, '/*'),
  Condition: {
    StringEquals: {
      'AWS:SourceArn': join('arn:', PARTITION, ':cloudfront::', ACCOUNT, ':distribution/', CDN),
    },
  },
}
