import { join, type Resources, type StackSettings } from './settings'

/** Logical name of the secret that the stack creates. */
const TOKEN_SECRET = 'MediaToken'

/** Seconds: a gateway closes a connection that has been idle for 5 minutes. */
const PREPARE_TIMEOUT_SECONDS = '270'

/**
 * The environment of every function. Unset variables are left out; README.md has their defaults.
 * Offline, a function inherits the environment of the process that started it.
 */
export function environmentOf({
  app,
  isOffline,
  responses,
  stage,
  studio,
  token,
  tokens,
  callbackSecret,
  queue,
}: StackSettings): Readonly<Record<string, unknown>> {
  const everywhere = { ...app, RESPONSE_MODE: responses }
  if (isOffline) return everywhere
  return {
    PREPARE_TIMEOUT_SECONDS,
    // A function serves one request at a time.
    MAX_CONCURRENT_JOBS: '1',
    // The published ffmpeg, linked statically, crashes on transport streams when it loads the system's character sets.
    GCONV_PATH: '/nonexistent',
    ...(studio === 'on' && {
      PUBLIC_BASE_URL: join('https://', { 'Fn::GetAtt': ['StudioDistribution', 'DomainName'] }),
    }),
    ...everywhere,
    STAGE: stage,
    S3_BUCKET: { Ref: 'MediaBucket' },
    ...(queue === 'on' && { PREPARE_QUEUE_URL: { Ref: 'PrepareQueue' } }),
    ...referTo('MEDIA_SERVICE_TOKEN', token),
    ...referTo('MEDIA_SERVICE_TOKENS', tokens),
    ...referTo('CALLBACK_SECRET', callbackSecret),
  }
}

/** A generated token, for a stack without a configured one. */
export function tokenResources({ token, stage }: StackSettings): Resources {
  if (token !== 'generated') return {}
  const Description = `Bearer token of the motion photo API, stage ${stage}`
  const GenerateSecretString = { PasswordLength: 48, ExcludePunctuation: true, IncludeSpace: false }
  return {
    [TOKEN_SECRET]: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: { Description, GenerateSecretString },
    },
  }
}

/** Only a reference: CloudFormation resolves it during the deployment, so that the token is in no template and no log. */
function referTo(variable: string, place: string): Readonly<Record<string, unknown>> {
  const [kind, name] = [place.split(':', 1)[0], place.slice(place.indexOf(':') + 1)]
  if (kind === 'none') return {}
  if (kind === 'parameter') return { [variable]: `{{resolve:ssm:${name}}}` }
  if (kind === 'secret') return { [variable]: `{{resolve:secretsmanager:${name}:SecretString}}` }
  return { [variable]: join('{{resolve:secretsmanager:', { Ref: TOKEN_SECRET }, ':SecretString}}') }
}
