import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageService, type Resource, type Template } from '#support/hosts/serverlessPackage'
import { projectRoot, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// What whoever deploys can choose, by parameters of the stage and by the settings of the app.

const test = suite('choices of a deployment', { timeoutMs: 180_000 })
const MEDIA_SERVICE_TOKEN = 'token-of-whoever-packages'
const DAY = 86_400

/** What serverless.yml takes from there, called as serverless calls it: all choices need not be packaged. */
const stack: {
  environment(told: Told): Promise<Readonly<Record<string, unknown>>>
  resources(told: Told): Promise<Pick<Template, 'Resources'>>
  storage(told: Told): Promise<Readonly<Record<string, number>>>
} = await import(pathToFileURL(join(projectRoot, 'dist/stack/template.js')).href)
const defaults = await defaultParams()

test('x86, buffered, open, with a layer of their own, reserved functions and no alarms', async () => {
  const layer = 'arn:aws:lambda:eu-central-1:123456789012:layer:my-ffmpeg:7'
  const template = await packageService({
    stage: 'dev',
    params: {
      architecture: 'x86_64',
      responses: 'buffer',
      token: 'none',
      ffmpegLayer: layer,
      prepareConcurrency: '50',
      convertConcurrency: '20',
      throttleRate: '7',
      accessLog: 'on',
      tracing: 'on',
      alarms: 'off',
      logRetentionDays: '7',
    },
    settings: { MEDIA_SERVICE_TOKEN, SESSION_TTL_SECONDS: String(DAY + 1) },
  })
  for (const [name, properties] of template.of('Lambda::Function')) {
    assert.equal(properties.Architectures, ['x86_64'], name)
    if (properties.Layers) assert.equal(properties.Layers, [{ 'Fn::Join': ['', [layer]] }], name)
    assert.equal(
      variables(properties),
      {
        PREPARE_TIMEOUT_SECONDS: '270',
        MAX_CONCURRENT_JOBS: '1',
        RESPONSE_MODE: 'buffer',
        STAGE: 'dev',
        GCONV_PATH: '/nonexistent',
        SESSION_TTL_SECONDS: '86401',
        S3_BUCKET: { Ref: 'MediaBucket' },
      },
      name,
    )
  }
  assert.is(template.of('Lambda::Function').filter(([, { Layers }]) => Layers).length, 6)
  const reserved = template
    .of('Lambda::Function')
    .map(([name, { ReservedConcurrentExecutions }]) => [name, ReservedConcurrentExecutions])
    .filter(([, count]) => count !== undefined)
  assert.equal(reserved, [
    ['PrepareLambdaFunction', 50],
    ['ConvertLambdaFunction', 20],
  ])
  const stage = JSON.stringify(template.of('ApiGateway::Stage'))
  assert.match(stage, /"ThrottlingRateLimit":7,.*"TracingEnabled":true.*"GatewayLogGroup".*"Format":/)
  // The path of a preview is the permission to see it.
  assert.not.match(stage, /context\.path/)
  for (const [name, { Integration }] of template.of('ApiGateway::Method')) {
    const { ResponseTransferMode, TimeoutInMillis, Uri } = Integration as Record<string, unknown>
    assert.is(ResponseTransferMode, 'BUFFERED', name)
    // More is refused for what is not streamed.
    assert.ok(Number(TimeoutInMillis ?? 0) <= 29_000, name)
    assert.ok(JSON.stringify(Uri).includes('/invocations'), name)
  }
  assert.equal([...template.of('CloudWatch::Alarm'), ...template.of('SNS::Topic')], [])
  assert.equal(template.of('SecretsManager::Secret'), [])
  for (const [, { RetentionInDays }] of template.of('Logs::LogGroup')) assert.is(RetentionInDays, 7)
  assert.equal(lifecycle(template.Resources), {
    'sessions/': 2,
    'uploads/': 1,
    'check/': 1,
    'answers/': 1,
    '': 'unfinished after 1',
  })
  assert.not.ok(template.text.includes(MEDIA_SERVICE_TOKEN))
})

test('a secret of their own, an address for alarms, a domain, origins, and sizes that follow the limits', async () => {
  const settings = {
    MAX_UPLOAD_BYTES: String(2 ** 31),
    MAX_INPUT_SECONDS: '60',
    PUBLIC_BASE_URL: 'https://media.example.com',
    PREPARE_TIMEOUT_SECONDS: '200',
    LOG_LEVEL: 'debug',
    ALLOWED_ORIGINS: 'https://app.example.com, https://www.example.com/',
  }
  const token = 'secret:media/prod/token'
  const told = tell(
    { token, alarmEmail: 'ops@example.com' },
    { ...settings, MEDIA_SERVICE_TOKEN, TRUST_PROXY: '' },
  )
  const [environment, { Resources }, storage] = await Promise.all([
    stack.environment(told),
    stack.resources(told),
    stack.storage(told),
  ])
  assert.equal(environment, {
    MAX_CONCURRENT_JOBS: '1',
    RESPONSE_MODE: 'stream',
    STAGE: 'prod',
    S3_BUCKET: { Ref: 'MediaBucket' },
    ...settings,
    GCONV_PATH: '/nonexistent',
    MEDIA_SERVICE_TOKEN: '{{resolve:secretsmanager:media/prod/token:SecretString}}',
  })
  // The upload, and the preview twice, and what is kept.
  assert.is(storage.prepare, 2560)
  const { CorsRules: [rule] = [] } = bucket(Resources).CorsConfiguration as { CorsRules?: Cors[] }
  assert.equal(rule?.AllowedOrigins, ['https://app.example.com', 'https://www.example.com'])
  const topic = Object.values(Resources).find(({ Type }) => Type === 'AWS::SNS::Topic')
  assert.equal(topic?.Properties.Subscription, [{ Protocol: 'email', Endpoint: 'ops@example.com' }])
  assert.not.ok(JSON.stringify([environment, Resources]).includes(MEDIA_SERVICE_TOKEN))
})

const arn = (service: string, rest: string) => `arn:aws:${service}:eu-central-1:123456789012:${rest}`

test('a key, a name, a firewall, a budget, a dashboard, the studio, a queue and an authorizer, if they are asked for', async () => {
  const [kmsKey, certificate] = [arn('kms', 'key/k'), arn('acm', 'certificate/c')]
  const waf = arn('wafv2', 'regional/webacl/w/1')
  const template = await packageService({
    stage: 'prod',
    params: {
      token: 'none',
      authorizer: 'aws_iam',
      kmsKey,
      domain: 'media.example.com',
      certificate,
      waf,
      monthlyBudget: '50',
      alarmEmail: 'ops@example.com',
      dashboard: 'on',
      studio: 'on',
      queue: 'on',
      queueConcurrency: '9',
    },
  })
  for (const [name, { AuthorizationType }] of template.of('ApiGateway::Method'))
    assert.is(AuthorizationType, 'AWS_IAM', name)
  const encryption = JSON.stringify(bucket(template.Resources).BucketEncryption)
  assert.match(encryption, `"SSEAlgorithm":"aws:kms","KMSMasterKeyID":"${kmsKey}"},"BucketKeyEnabled":true`)
  const used = template.of('IAM::Role').filter(([, role]) => JSON.stringify(role).includes(kmsKey))
  // The page about the API reads nothing.
  assert.is(used.length, template.of('IAM::Role').length - 1)
  const [[, named] = []] = template.of('ApiGateway::DomainName')
  assert.equal([named?.DomainName, named?.RegionalCertificateArn], ['media.example.com', certificate])
  assert.is(template.of('ApiGateway::BasePathMapping').length, 1)
  const [[, guarded] = []] = template.of('WAFv2::WebACLAssociation')
  assert.is(guarded?.WebACLArn, waf)
  const [[, budget] = []] = template.of('Budgets::Budget')
  assert.match(JSON.stringify(budget), '"BudgetLimit":{"Amount":50,"Unit":"USD"}')
  assert.match(JSON.stringify(budget), '"Address":"ops@example.com"')
  const [[, dashboard] = []] = template.of('CloudWatch::Dashboard')
  const { widgets } = JSON.parse(String(dashboard?.DashboardBody))
  assert.is(widgets.length, 10)
  for (const { properties } of widgets) assert.is(properties.region, 'eu-central-1')
  const [[, cdn = {}] = []] = template.of('CloudFront::Distribution')
  const { CacheBehaviors, DefaultCacheBehavior } = cdn.DistributionConfig as Record<string, unknown>
  const ofPage = (CacheBehaviors as { PathPattern: string; TargetOriginId: string }[]).map(
    ({ PathPattern, TargetOriginId }) => `${PathPattern} ${TargetOriginId}`,
  )
  assert.equal(ofPage, ['/ page', '/studio.html page', '/studio-worker.js page', '/studio-photos.js page'])
  assert.match(JSON.stringify(DefaultCacheBehavior), /"TargetOriginId":"api".*"DELETE"/)
  const address = { 'Fn::Join': ['', ['https://', { 'Fn::GetAtt': ['StudioDistribution', 'DomainName'] }]] }
  for (const [, called] of template.of('Lambda::Function'))
    assert.equal(variables(called).PUBLIC_BASE_URL, address)
  const [[, mapping] = []] = template.of('Lambda::EventSourceMapping')
  assert.equal([mapping?.BatchSize, mapping?.ScalingConfig], [1, { MaximumConcurrency: 9 }])
  assert.match(JSON.stringify(mapping?.FunctionName), /PrepareQueuedLambdaFunction.*"live"/)
  const [[, queue] = []] = template.of('SQS::Queue')
  assert.is(queue?.KmsMasterKeyId, kmsKey)
  const outputs = ['DomainTarget', 'StudioBucketName', 'StudioAddress'].map((name) => template.Outputs[name])
  assert.is(outputs.filter(Boolean).length, 3)
})

test('a function behind a queue, which may take from it and nothing else, and an alarm for what nobody could take', async () => {
  const { Resources } = await stack.resources(tell({ queue: 'on' }, {}))
  const { Resources: without } = await stack.resources(tell({}, {}))
  const added = Object.keys(Resources).filter((name) => !(name in without))
  assert.equal(added.sort(), [
    'PrepareDeadQueue',
    'PrepareDeadQueueAlarm',
    'PrepareQueue',
    'PrepareQueuedDurationAlarm',
    'PrepareQueuedFailuresAlarm',
    'PrepareQueuedLiveAlias',
    'PrepareQueuedPreviousAlias',
    'PrepareQueuedRole',
  ])
  const queue = { 'Fn::GetAtt': ['PrepareQueue', 'Arn'] }
  const messages = (role: string, of: Template['Resources']) => {
    const policies = (of[role]?.Properties.Policies ?? []) as readonly Policy[]
    const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    return statements.filter(({ Action }) => JSON.stringify(Action).includes('sqs:'))
  }
  const allow = (Action: string[]) => [{ Effect: 'Allow', Action, Resource: queue }]
  assert.equal(messages('PrepareRole', Resources), allow(['sqs:SendMessage']))
  const take = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
  assert.equal(messages('PrepareQueuedRole', Resources), allow(take))
  for (const [of, role] of [
    [without, 'PrepareRole'],
    [Resources, 'UploadRole'],
  ] as const)
    assert.equal(messages(role, of), [])
  const { VisibilityTimeout, RedrivePolicy, SqsManagedSseEnabled } = Resources.PrepareQueue?.Properties ?? {}
  // Longer than the function may run, which is 29 s here; and often enough for a file at which every worker ends.
  assert.equal([VisibilityTimeout, SqsManagedSseEnabled], [59, true])
  const deadLetterTargetArn = { 'Fn::GetAtt': ['PrepareDeadQueue', 'Arn'] }
  assert.equal(RedrivePolicy, { deadLetterTargetArn, maxReceiveCount: 7 })
  assert.equal((await stack.environment(tell({ queue: 'on' }, {}))).PREPARE_QUEUE_URL, {
    Ref: 'PrepareQueue',
  })
})

test('tokens and the secret of callbacks, from a secret and from a plain parameter', async () => {
  const kept = await stack.environment(tell({ tokens: 'secret:media/prod/tokens' }, {}))
  assert.is(kept.MEDIA_SERVICE_TOKENS, '{{resolve:secretsmanager:media/prod/tokens:SecretString}}')
  assert.ok(kept.MEDIA_SERVICE_TOKEN, 'beside the one that is generated')
  const places = { token: 'parameter:/media/test/token', tokens: 'parameter:/media/test/tokens' }
  const plain = await stack.environment(tell(places, {}))
  assert.is(plain.MEDIA_SERVICE_TOKENS, '{{resolve:ssm:/media/test/tokens}}')
  assert.is(plain.MEDIA_SERVICE_TOKEN, '{{resolve:ssm:/media/test/token}}')
  const settings = { CALLBACK_ORIGINS: 'https://app.example.com' }
  const called = await stack.environment(tell({ callbackSecret: 'secret:media/prod/callback' }, settings))
  assert.is(called.CALLBACK_SECRET, '{{resolve:secretsmanager:media/prod/callback:SecretString}}')
  assert.is(called.CALLBACK_ORIGINS, settings.CALLBACK_ORIGINS)
  assert.is((await stack.environment(tell({}, {}))).MEDIA_SERVICE_TOKENS, undefined)
})

test('what the gateway answers by itself names the one origin that is allowed, or none of several', async () => {
  for (const [ALLOWED_ORIGINS, named] of [
    ['https://app.example.com/', "'https://app.example.com'"],
    ['https://app.example.com,https://www.example.com', undefined],
  ] as const) {
    const { Resources } = await stack.resources(tell({}, { ALLOWED_ORIGINS }))
    const { ResponseParameters } = Resources.GatewayThrottled?.Properties ?? {}
    const headers = ResponseParameters as Texts
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
    const { Resources } = await stack.resources(tell({}, { SESSION_TTL_SECONDS: String(ttl) }))
    assert.is(lifecycle(Resources)['sessions/'], days)
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
    const told = tell(params, settings)
    const said = await Promise.all([stack.resources(told), stack.storage(told)]).then(
      () => 'nothing',
      (error: Error) => error.message,
    )
    assert.match(said, sentence)
  })

test('whoever packages with a wrong choice is told so', async () => {
  const said = await packageService({ stage: 'prod', params: { architecture: 'arm' } }).then(
    () => 'nothing',
    (error: Error) => error.message,
  )
  assert.match(said, /The parameter architecture is "arm"; allowed is arm64, x86_64\./)
})

test('a deployment needs a stage', async () => {
  for (const command of [
    ['node_modules/serverless/bin/serverless.js', 'deploy'],
    ['dist/stack/deploy.js', '--region', 'eu-west-1'],
  ]) {
    const server = startServer(command, { AWS_SHARED_CREDENTIALS_FILE: join(projectRoot, 'nowhere') })
    assert.is(await server.ended, 1)
    assert.match(`${server.stdout()}${server.stderr()}`, /Name a stage: npm run deploy -- --stage prod/)
  }
})

type Texts = Readonly<Record<string, string>>
type Told = { readonly resolveVariable: (variable: string) => Promise<unknown> }
type Policy = { readonly PolicyDocument: { readonly Statement: readonly { readonly Action: unknown }[] } }
type Cors = { readonly AllowedOrigins: readonly string[] }
type Rule = {
  readonly Status: string
  readonly Prefix: string
  readonly ExpirationInDays?: number
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation: number }
}

function variables({ Environment }: Resource['Properties']): Readonly<Record<string, unknown>> {
  return (Environment as { Variables: Readonly<Record<string, unknown>> }).Variables
}

function bucket({ MediaBucket }: Template['Resources']): Resource['Properties'] {
  return MediaBucket?.Properties ?? {}
}

/** Days by prefix. */
function lifecycle(resources: Template['Resources']): Readonly<Record<string, unknown>> {
  const { Rules } = bucket(resources).LifecycleConfiguration as { Rules: readonly Rule[] }
  return Object.fromEntries(
    Rules.map(({ Status, Prefix, ExpirationInDays, AbortIncompleteMultipartUpload: abort }) => {
      assert.is(Status, 'Enabled')
      return [Prefix, ExpirationInDays ?? `unfinished after ${abort?.DaysAfterInitiation}`]
    }),
  )
}

/** Answers as serverless does, for a stage with these parameters in the environment of these settings. */
function tell(params: Texts, settings: Texts): Told {
  const values: Readonly<Record<string, Texts>> = {
    param: { ...defaults, ...params },
    env: settings,
    self: { 'provider.stage': 'prod', service: 'lantern-room-media' },
  }
  return {
    async resolveVariable(variable) {
      const [, source = '', name = ''] = /^(\w+):([\w.]+)/.exec(variable) ?? []
      return values[source]?.[name] ?? (/^functions\.\w+\.timeout$/.test(name) ? 29 : '')
    },
  }
}

/** From serverless.yml: the lines below `default:`. */
async function defaultParams(): Promise<Texts> {
  const text = await readFile(join(projectRoot, 'serverless.yml'), 'utf8')
  const [, lines = ''] = /^ {2}default:\n((?: {4}.*\n)+)/m.exec(text) ?? []
  const pairs = [...lines.matchAll(/^ {4}(\w+): '?([^'#\n]*?)'?(?: +#.*)?$/gm)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}

test.run()
