/**
 * The settings of a deployment: parameters of its stage (`--param`, or `params` in serverless.yml), and the app's settings
 * from the environment of the deploying process. Everything is checked here, before anything is sent to AWS.
 */

/** Settings of the app that make sense in a function. */
const APP_SETTINGS = [
  'SESSION_TTL_SECONDS',
  'PUBLIC_BASE_URL',
  'TRUST_PROXY',
  'ALLOWED_ORIGINS',
  'CALLBACK_ORIGINS',
  'CLIENT_QUOTAS',
  'MAX_UPLOAD_BYTES',
  'MAX_CLIP_SECONDS',
  'MAX_INPUT_SECONDS',
  'MAX_CONCURRENT_JOBS',
  'PREPARE_TIMEOUT_SECONDS',
  'CONVERT_TIMEOUT_SECONDS',
  'PREVIEW_SIZE',
  'PREVIEW_REDIRECT',
  'LOG_LEVEL',
]

/** The numbers of days for which CloudWatch can keep logs. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557]

/** Serverless's own; takes for example `param:token`. */
export type ResolveVariable = (variable: string) => Promise<unknown>

export type StackSettings = Awaited<ReturnType<typeof readSettings>>

/**
 * @returns checked settings of this stage
 * @throws Error a sentence for each setting that is wrong
 */
export async function readSettings(resolveVariable: ResolveVariable) {
  const stage = String(await resolveVariable('self:provider.stage'))
  const params = await readParameters(resolveVariable)
  const app = await readAppSettings(resolveVariable)
  refuseContradictions(params, app)
  return {
    ...params,
    stage,
    service: String(await resolveVariable('self:service')),
    region: String(await resolveVariable('self:provider.region')),
    app,
    isOffline: stage === 'offline',
    throttle: { rate: Number(params.throttleRate), burst: Number(params.throttleBurst) },
    logRetentionDays: Number(params.logRetentionDays),
    concurrency: {
      queue: Number(params.queueConcurrency),
      prepare: reserved(params.prepareConcurrency),
      convert: reserved(params.convertConcurrency),
      motionPhoto: reserved(params.motionPhotoConcurrency),
      preview: reserved(params.previewConcurrency),
    },
    sessionTtlSeconds: wholeNumber('SESSION_TTL_SECONDS', app, 86_400),
    maxUploadBytes: wholeNumber('MAX_UPLOAD_BYTES', app, 500 * 1024 * 1024),
    maxInputSeconds: wholeNumber('MAX_INPUT_SECONDS', app, 600),
    maxClipSeconds: wholeNumber('MAX_CLIP_SECONDS', app, 60),
    allowedOrigins: (app.ALLOWED_ORIGINS ?? '*').split(',').map((origin) => origin.trim().replace(/\/$/, '')),
  }
}

function refuseContradictions(of: StackParameters, app: Readonly<Record<string, string>>): void {
  const found = CONTRADICTIONS.find(([isMeant]) => isMeant(of, app))
  if (found) throw new Error(found[1])
}

type IsMeant = (of: StackParameters, app: Readonly<Record<string, string>>) => boolean

/** What cannot be had together, and what to set instead. */
const CONTRADICTIONS: readonly (readonly [IsMeant, string])[] = [
  [
    (of, app) => app.CALLBACK_ORIGINS !== undefined && of.callbackSecret === 'none',
    'CALLBACK_ORIGINS needs the parameter callbackSecret: where the secret is that signs callbacks.',
  ],
  [
    (of) => of.authorizer !== 'none' && (of.token !== 'none' || of.tokens !== 'none'),
    'An authorizer takes the header that tokens come in: set token=none and tokens=none with it.',
  ],
  [
    (of) => of.authorizer !== 'none' && of.studio === 'on',
    'An authorizer would refuse the page of studio=on, which cannot sign its requests: set studio=off, or authorizer=none and a token.',
  ],
  [
    (of) => of.waf.startsWith('rate:') && of.studio === 'on',
    'waf=rate counts requests by address, and behind the CDN of studio=on clients share some: set studio=off, or waf to a web ACL of yours.',
  ],
  [
    (of) => of.canary !== 'off' && of.alarms === 'off',
    'A canary is judged by the alarms: set alarms=on with it.',
  ],
  [
    (of) => of.domain !== 'none' && of.certificate === 'none',
    'A domain needs the parameter certificate: the ARN of one for it, in this region.',
  ],
  [
    (of) => of.monthlyBudget !== 'off' && of.alarmEmail === '',
    'A monthlyBudget needs the parameter alarmEmail: who is told.',
  ],
]

/** The settings that are set, from the environment of the deploying process. */
async function readAppSettings(resolveVariable: ResolveVariable): Promise<Readonly<Record<string, string>>> {
  const app: Record<string, string> = {}
  for (const name of APP_SETTINGS) {
    const value = String((await resolveVariable(`env:${name}, ''`)) ?? '').trim()
    if (value !== '') app[name] = value
  }
  return app
}

type StackParameters = Readonly<Record<keyof typeof PARAMETERS, string>>

async function readParameters(resolveVariable: ResolveVariable): Promise<StackParameters> {
  const read: Record<string, string> = {}
  for (const [name, [pattern, allowed]] of Object.entries(PARAMETERS)) {
    const value = String((await resolveVariable(`param:${name}, ''`)) ?? '').trim()
    if (!pattern.test(value)) throw new Error(`The parameter ${name} is "${value}"; allowed is ${allowed}.`)
    read[name] = value
  }
  return read as StackParameters
}

const SECRET = String.raw`secret:[\w/+=.@:-]+|parameter:[\w/.-]+`
const arn = (service: string, rest: string) => String.raw`arn:aws[a-z-]*:${service}:[a-z0-9-]+:\d{12}:${rest}`

const ON_OR_OFF = oneOf('on', 'off')
const COUNT = [/^[1-9]\d{0,4}$/, 'a whole number from 1 to 99999'] as const
const RESERVED = [whole('unreserved|[1-9]\\d{0,4}'), 'unreserved, or a whole number from 1'] as const

/** What the parameters of a stage may be, and how a refusal says it. */
const PARAMETERS = {
  responses: oneOf('stream', 'buffer'),
  architecture: oneOf('arm64', 'x86_64'),
  token: [whole(`generated|none|${SECRET}`), 'generated, none, secret:NAME or parameter:NAME'],
  tokens: [whole(`none|${SECRET}`), 'none, secret:NAME or parameter:NAME'],
  callbackSecret: [whole(`none|${SECRET}`), 'none, secret:NAME or parameter:NAME'],
  ffmpegLayer: [
    whole(`published|${arn('lambda', String.raw`layer:[\w-]+:\d+`)}`),
    'published, or the ARN of a layer version',
  ],
  alarmEmail: [whole(String.raw`\S+@\S+|`), 'an e-mail address'],
  monthlyBudget: [whole(String.raw`off|[1-9]\d{0,6}`), 'off, or a whole number of US dollars'],
  waf: [
    whole(String.raw`none|rate:[1-9]\d{1,8}|${arn('wafv2', 'regional/webacl/.+')}`),
    'none, rate:NUMBER (requests of one address in five minutes, from 10), or the ARN of a regional web ACL',
  ],
  canary: [
    whole(String.raw`off|([1-9]|[1-4]\d|50):([5-9]|[1-9]\d|1[01]\d|120)`),
    'off, or PERCENT:MINUTES such as 10:15 (1 to 50 percent, 5 to 120 minutes)',
  ],
  permissionsBoundary: [
    whole(String.raw`none|[\w+=,.@-]{1,128}|arn:aws[a-z-]*:iam::\d{12}:policy/.+`),
    'none, or the name or ARN of a policy',
  ],
  authorizer: [
    whole(`none|aws_iam|${arn('cognito-idp', 'userpool/.+')}|${arn('lambda', 'function:.+')}`),
    'none, aws_iam, or the ARN of a Cognito user pool or a function',
  ],
  kmsKey: [whole(`none|${arn('kms', 'key/.+')}`), 'none, or the ARN of a key'],
  domain: [whole(String.raw`none|([a-z0-9-]+\.)+[a-z]{2,}`), 'none, or a name such as media.example.com'],
  certificate: [whole(`none|${arn('acm', 'certificate/.+')}`), 'none, or the ARN of a certificate'],
  throttleRate: COUNT,
  throttleBurst: COUNT,
  accessLog: ON_OR_OFF,
  tracing: ON_OR_OFF,
  queue: ON_OR_OFF,
  alarms: ON_OR_OFF,
  dashboard: ON_OR_OFF,
  studio: ON_OR_OFF,
  logRetentionDays: oneOf(...RETENTION_DAYS.map(String)),
  // As Lambda takes it.
  queueConcurrency: [whole('[2-9]|[1-9]\\d{1,2}|1000'), 'a whole number from 2 to 1000'],
  prepareConcurrency: RESERVED,
  previewConcurrency: RESERVED,
  convertConcurrency: RESERVED,
  motionPhotoConcurrency: RESERVED,
} as const satisfies Readonly<Record<string, readonly [RegExp, string]>>

function oneOf(...allowed: readonly string[]) {
  return [whole(allowed.join('|')), allowed.join(', ')] as const
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(${pattern})$`)
}

/** Undefined: the function shares the concurrency of the account. */
function reserved(value: string): number | undefined {
  return value === 'unreserved' ? undefined : Number(value)
}

function wholeNumber(name: string, app: Readonly<Record<string, string>>, fallback: number): number {
  const value = app[name] ?? String(fallback)
  if (/^[1-9]\d{0,15}$/.test(value)) return Number(value)
  throw new Error(`${name} is "${value}"; allowed is a whole number from 1.`)
}

/** A part of the template, as CloudFormation takes it. */
export type Resource = { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }

/** By their logical names. */
export type Resources = Readonly<Record<string, Resource>>

export const PARTITION = { Ref: 'AWS::Partition' }
export const REGION = { Ref: 'AWS::Region' }
export const API = { Ref: 'ApiGatewayRestApi' }

/** A text with references in it. */
export function join(...parts: readonly unknown[]) {
  return { 'Fn::Join': ['', parts] }
}
