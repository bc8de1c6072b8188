import { readFile } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import type { Resource, Resources } from '../../../../handlers/stack/settings'
import { answerWithin, environment, resources, storage } from '../../../../handlers/stack/template'

// What is made of the parameters of a stage and of the settings of the app, before anything is sent to AWS.

const test = suite('settings of a stack')
const DAY = 86_400
const defaults = await defaultParams()

test('each option that is given is used, and the token of the one who deploys is not', async () => {
  const settings = {
    MAX_INPUT_SECONDS: '60',
    PUBLIC_BASE_URL: 'https://media.example.com',
    PREPARE_TIMEOUT_SECONDS: '200',
    LOG_LEVEL: 'debug',
    ALLOWED_ORIGINS: 'https://app.example.com, https://www.example.com/',
  }
  const token = 'of-the-one-who-deploys'
  const stack = stage({ token: 'none' }, { ...settings, MEDIA_SERVICE_TOKEN: token, TRUST_PROXY: '' })
  const values = await environment(stack)
  for (const [name, value] of Object.entries(settings)) assert.is(values[name], value, name)
  const { Resources } = await resources(stack)
  const { CorsRules } = propertiesOf(Resources, 'MediaBucket').CorsConfiguration as { CorsRules: Cors[] }
  assert.equal(CorsRules[0]?.AllowedOrigins, ['https://app.example.com', 'https://www.example.com'])
  assert.not(JSON.stringify([values, Resources]).includes(token))
})

test('temporary storage has room for the upload, its preview twice, and what is kept', async () => {
  const settings = { MAX_UPLOAD_BYTES: String(2 ** 31), MAX_INPUT_SECONDS: '60' }
  assert.is((await storage(stage({}, settings))).prepare, 2560)
})

test('a response that is not streamed has to be complete when the gateway gives up', async () => {
  for (const [responses, longest] of [
    ['stream', 300_000],
    ['buffer', 29_000],
  ] as const) {
    const within = await answerWithin(stage({ responses }, {}, { timeout: 300 }))
    assert.is(Math.max(...Object.values(within)), longest, responses)
  }
})

test('messages of the queue: who asks for an upload may send them, one function take them, none while another works', async () => {
  const { Resources } = await resources(stage({ queue: 'on' }))
  const queue = { 'Fn::GetAtt': ['PrepareQueue', 'Arn'] }
  const rights = (role: string) => {
    const [{ PolicyDocument }] = propertiesOf(Resources, role).Policies as readonly [Policy]
    return PolicyDocument.Statement.filter(({ Action }) => JSON.stringify(Action).includes('sqs:'))
  }
  const allow = (Action: string[]) => [{ Effect: 'Allow', Action, Resource: queue }]
  assert.equal(rights('PrepareRole'), allow(['sqs:SendMessage']))
  const take = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
  // A message may be given again sooner, and be sent anew.
  assert.equal(
    rights('PrepareQueuedRole'),
    allow([...take, 'sqs:ChangeMessageVisibility', 'sqs:SendMessage']),
  )
  assert.equal(rights('UploadRole'), allow(['sqs:SendMessage']))
  assert.equal(rights('ConvertRole'), [])
  const { VisibilityTimeout, RedrivePolicy } = propertiesOf(Resources, 'PrepareQueue')
  // The function may run for 29 s here.
  assert.is(VisibilityTimeout, 59)
  assert.match(JSON.stringify(RedrivePolicy), '"PrepareDeadQueue"')
  assert.equal((await environment(stage({ queue: 'on' }))).PREPARE_QUEUE_URL, { Ref: 'PrepareQueue' })
})

test('tokens and the secret of callbacks, from a secret and from a plain parameter', async () => {
  const kept = await environment(stage({ tokens: 'secret:media/prod/tokens' }))
  assert.is(kept.MEDIA_SERVICE_TOKENS, '{{resolve:secretsmanager:media/prod/tokens:SecretString}}')
  assert.ok(kept.MEDIA_SERVICE_TOKEN, 'beside the one that is generated')
  const places = { token: 'parameter:/media/test/token', tokens: 'parameter:/media/test/tokens' }
  const plain = await environment(stage(places))
  assert.is(plain.MEDIA_SERVICE_TOKENS, '{{resolve:ssm:/media/test/tokens}}')
  assert.is(plain.MEDIA_SERVICE_TOKEN, '{{resolve:ssm:/media/test/token}}')
  const settings = { CALLBACK_ORIGINS: 'https://app.example.com' }
  const called = await environment(stage({ callbackSecret: 'secret:media/prod/callback' }, settings))
  assert.is(called.CALLBACK_SECRET, '{{resolve:secretsmanager:media/prod/callback:SecretString}}')
  assert.is(called.CALLBACK_ORIGINS, settings.CALLBACK_ORIGINS)
  assert.is((await environment(stage())).MEDIA_SERVICE_TOKENS, undefined)
})

test('what the gateway answers by itself names the one origin that is allowed, or none of several', async () => {
  for (const [ALLOWED_ORIGINS, named] of [
    ['https://app.example.com/', "'https://app.example.com'"],
    ['https://app.example.com,https://www.example.com', undefined],
  ] as const) {
    const { Resources } = await resources(stage({}, { ALLOWED_ORIGINS }))
    const headers = propertiesOf(Resources, 'GatewayThrottled').ResponseParameters as Texts
    assert.is(headers['gatewayresponse.header.Access-Control-Allow-Origin'], named)
    assert.is(headers['gatewayresponse.header.Retry-After'], "'2'")
  }
})

for (const [ttl, days] of [
  [1, 1],
  [DAY, 1],
  [2 * DAY, 2],
  [2 * DAY + 1, 3],
] as const)
  test(`sessions of ${ttl} s are removed by the bucket after ${days} days`, async () => {
    const { Resources } = await resources(stage({}, { SESSION_TTL_SECONDS: String(ttl) }))
    const { Rules } = propertiesOf(Resources, 'MediaBucket').LifecycleConfiguration as {
      Rules: readonly Rule[]
    }
    assert.is(Rules.find(({ Prefix }) => Prefix === 'sessions/')?.ExpirationInDays, days)
    const all = ['sessions/', 'uploads/', 'check/', 'answers/', 'waiting/', 'callbacks/', 'quotas/', '']
    assert.equal(
      Rules.map(({ Prefix }) => Prefix),
      all,
    )
  })

const refused: Readonly<Record<string, readonly [Texts, Texts, RegExp]>> = {
  'no answer at all': [{ responses: 'never' }, {}, /The parameter responses is "never"; allowed is stream/],
  'a token where its place belongs': [
    { token: 'hunter2hunter2' },
    {},
    /The parameter token is .*; allowed is generated, none, secret:NAME or parameter:NAME\./,
  ],
  'the tokens themselves': [
    { tokens: 'app:hunter2hunter2' },
    {},
    /The parameter tokens is .*; allowed is none, secret:NAME or parameter:NAME\./,
  ],
  'callbacks that nothing signs': [
    {},
    { CALLBACK_ORIGINS: 'https://app.example.com' },
    /CALLBACK_ORIGINS needs the parameter callbackSecret/,
  ],
  'a layer without its version': [
    { ffmpegLayer: 'arn:aws:lambda:eu-central-1:123456789012:layer:my-ffmpeg' },
    {},
    /allowed is published, or the ARN of a layer version/,
  ],
  'an authorizer beside a token': [{ authorizer: 'aws_iam' }, {}, /set token=none and tokens=none with it/],
  'a page that the authorizer refuses': [
    { authorizer: 'aws_iam', token: 'none', studio: 'on' },
    {},
    /An authorizer would refuse the page of studio=on.*: set studio=off, or authorizer=none and a token\./,
  ],
  'a rate by addresses that a CDN hides': [{ waf: 'rate:2000', studio: 'on' }, {}, /waf=rate .* studio=off/],
  'a rate below what AWS counts': [{ waf: 'rate:9' }, {}, /waf is "rate:9"; allowed is none, rate:NUMBER/],
  'a canary that nothing watches': [{ canary: '10:15', alarms: 'off' }, {}, /set alarms=on with it/],
  'a canary without its time': [{ canary: '10' }, {}, /canary is "10"; allowed is off, or PERCENT:MINUTES/],
  'a name without a certificate': [
    { domain: 'media.example.com' },
    {},
    /A domain needs the parameter certificate/,
  ],
  'a budget that nobody is told of': [{ monthlyBudget: '50' }, {}, /needs the parameter alarmEmail/],
  'a key by its alias': [
    { kmsKey: 'alias/mine' },
    {},
    /kmsKey is "alias\/mine"; allowed is none, or the ARN/,
  ],
  'half a function': [{ prepareConcurrency: '0.5' }, {}, /unreserved, or a whole number from 1/],
  'one prepare of the queue at once': [
    { queueConcurrency: '1' },
    {},
    /queueConcurrency is "1"; allowed is a whole number from 2 to 1000/,
  ],
  'logs for ever': [{ logRetentionDays: '0' }, {}, /logRetentionDays is "0"; allowed is 1, 3, 5/],
  'more temporary storage than there is': [
    {},
    { MAX_UPLOAD_BYTES: String(20 * 2 ** 30) },
    /ask for \d+ MiB of temporary storage; Lambda has 10240\. Lower them\./,
  ],
  'a time to live that is none': [
    {},
    { SESSION_TTL_SECONDS: 'a day' },
    /SESSION_TTL_SECONDS is "a day"; allowed is a whole number from 1\./,
  ],
}

for (const [what, [params, settings, sentence]] of Object.entries(refused))
  test(`refused before anything is sent: ${what}`, async () => {
    const told = stage(params, settings)
    const error = await rejection(Promise.all([resources(told), storage(told)]))
    assert.match((error as Error).message, sentence)
  })

type Texts = Readonly<Record<string, string>>
type Statement = { readonly Action: unknown }
type Policy = { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }
type Cors = { readonly AllowedOrigins: readonly string[] }
type Rule = { readonly Prefix: string; readonly ExpirationInDays?: number }

function propertiesOf(resources: Resources, name: string): Resource['Properties'] {
  const found = resources[name]
  if (!found) throw new Error(`The stack has no resource ${name}.`)
  return found.Properties
}

/** Answers as serverless does, for a stage with these parameters in the environment of these settings. */
function stage(params: Texts = {}, settings: Texts = {}, { timeout = 29 } = {}) {
  const values: Readonly<Record<string, Texts>> = {
    param: { ...defaults, ...params },
    env: settings,
    self: { 'provider.stage': 'prod', service: 'lantern-room-media' },
  }
  return {
    async resolveVariable(variable: string): Promise<unknown> {
      const [, source = '', name = ''] = /^(\w+):([\w.]+)/.exec(variable) ?? []
      return values[source]?.[name] ?? (/^functions\.\w+\.timeout$/.test(name) ? timeout : '')
    },
  }
}

/** From serverless.yml: the lines below `default:`. */
async function defaultParams(): Promise<Texts> {
  const [, lines = ''] =
    /^ {2}default:\n((?: {4}.*\n)+)/m.exec(await readFile('serverless.yml', 'utf8')) ?? []
  const pairs = [...lines.matchAll(/^ {4}(\w+): '?([^'#\n]*?)'?(?: +#.*)?$/gm)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}

test.run()
