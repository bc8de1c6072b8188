import { TOKEN_SECRET } from './token.js'

/** Seconds: a gateway cuts a connection off over which nothing has come for 5 minutes. */
const PREPARE_TIMEOUT_SECONDS = '270'

/**
 * The environment of every function. What is not set is left out, and is then what README.md says.
 * Offline, a function has the environment of whoever started it already.
 */
export function environmentOf({ app, isOffline, responses, token }) {
  const shared = { ...app, RESPONSE_MODE: responses }
  if (isOffline) return shared
  return {
    PREPARE_TIMEOUT_SECONDS,
    // A function serves one request at a time.
    MAX_CONCURRENT_JOBS: '1',
    // The published ffmpeg, linked statically, crashes on transport streams when it loads the system's character sets.
    GCONV_PATH: '/nonexistent',
    ...shared,
    S3_BUCKET: { Ref: 'MediaBucket' },
    ...tokenOf(token),
  }
}

/** Only where to find it: CloudFormation reads it while it deploys, so that it is in no template and in no log. */
function tokenOf(token) {
  const [kind, name] = [token.split(':', 1)[0], token.slice(token.indexOf(':') + 1)]
  if (kind === 'none') return {}
  if (kind === 'parameter') return { MEDIA_SERVICE_TOKEN: `{{resolve:ssm:${name}}}` }
  if (kind === 'secret') return { MEDIA_SERVICE_TOKEN: `{{resolve:secretsmanager:${name}:SecretString}}` }
  const secret = ['{{resolve:secretsmanager:', { Ref: TOKEN_SECRET }, ':SecretString}}']
  return { MEDIA_SERVICE_TOKEN: { 'Fn::Join': ['', secret] } }
}
