import { readFile } from 'node:fs/promises'
import { HTTP_STATUS } from '@lantern-room/base/http'
import { type DirectHost, startDirectHost } from '#support/hosts/directHost'
import { packageService, type Resource, type Template } from '#support/hosts/serverlessPackage'
import { assert, suite } from '#support/runner/suite'

// The CloudFormation template of a stage, as `npm run package -- --stage prod` writes it.

const test = suite('the stack of a stage', { timeoutMs: 120_000 })
let template: Template
let host: DirectHost

test.before(async () => {
  ;[template, host] = await Promise.all([packageService({ stage: 'prod' }), startDirectHost()])
})
test.after(() => host.stop())

const SIZES = {
  health: { MemorySize: 1024, Timeout: 29, storage: undefined },
  upload: { MemorySize: 512, Timeout: 29, storage: undefined },
  prepare: { MemorySize: 3008, Timeout: 300, storage: 2816 },
  preview: { MemorySize: 512, Timeout: 300, storage: undefined },
  convert: { MemorySize: 3008, Timeout: 300, storage: 2112 },
  motionPhoto: { MemorySize: 3008, Timeout: 300, storage: 3136 },
  thumbnail: { MemorySize: 1769, Timeout: 29, storage: 1344 },
  cleanup: { MemorySize: 512, Timeout: 29, storage: undefined },
  session: { MemorySize: 512, Timeout: 29, storage: undefined },
  photo: { MemorySize: 1769, Timeout: 120, storage: 896 },
  document: { MemorySize: 512, Timeout: 29, storage: undefined },
  sweep: { MemorySize: 512, Timeout: 300, storage: undefined },
}
const NAMES = Object.keys(SIZES)
// Two of them only to see whether it works.
const RUNS_FFMPEG = ['health', 'prepare', 'convert', 'motionPhoto', 'thumbnail', 'photo']
const ERROR_CODES = Object.keys(HTTP_STATUS)

test('its routes are the routes of the app, and one for all the rest', async () => {
  const { paths } = (await (await host.send('/openapi.json')).json()) as { paths: Record<string, unknown> }
  const routes = template.of('ApiGateway::Method').map(([, { ResourceId }]) => pathOf(ResourceId))
  // A part of a path is a name or a parameter there, and never both.
  const wanted = Object.keys(paths).map((path) => path.replace(/\{\w+\}\.(mp4|jpg)$/, '{file}'))
  assert.equal(routes.sort(), [...wanted, '/{proxy+}'].sort())
})

test('every route streams what its own function answers, for as long as that may run', () => {
  for (const [name, { Integration, ...method }] of template.of('ApiGateway::Method')) {
    const { Uri, TimeoutInMillis, ...integration } = Integration as Record<string, unknown>
    assert.equal(
      integration,
      { IntegrationHttpMethod: 'POST', Type: 'AWS_PROXY', ResponseTransferMode: 'STREAM' },
      name,
    )
    const { 'Fn::Join': [, parts] = [] } = Uri as { 'Fn::Join'?: [string, unknown[]] }
    const [target] = (parts ?? []).filter((part) => JSON.stringify(part).includes('Fn::GetAtt'))
    assert.ok(JSON.stringify(parts).includes(':lambda:path/2021-11-15/functions/'), name)
    assert.equal(parts?.slice(-3), [':', 'live', '/response-streaming-invocations'], name)
    const handler = handlerOf(pathOf(method.ResourceId))
    assert.equal(target, { 'Fn::GetAtt': [`${capital(handler)}LambdaFunction`, 'Arn'] }, name)
    const { Timeout } = SIZES[handler]
    // What is not said is 29 s.
    assert.is(TimeoutInMillis ?? 29_000, Timeout * 1000, name)
  }
})

test('no connection of the gateway is cut off for half a minute of silence', () => {
  const [[, api] = []] = template.of('ApiGateway::RestApi')
  assert.equal(api?.EndpointConfiguration, { Types: ['REGIONAL'] })
})

test('what the gateway answers by itself is of the same form, and pages can read it', () => {
  const answers = template.of('ApiGateway::GatewayResponse').map(([, answer]) => answer)
  const statuses = answers.map(({ ResponseType, StatusCode }) => [ResponseType, StatusCode])
  assert.equal(statuses, [
    ['DEFAULT_4XX', undefined],
    ['DEFAULT_5XX', undefined],
    ['REQUEST_TOO_LARGE', '413'],
    ['THROTTLED', '429'],
    ['INTEGRATION_TIMEOUT', '504'],
  ])
  for (const { ResponseType, RestApiId, ResponseParameters, ResponseTemplates } of answers) {
    assert.equal(RestApiId, { Ref: 'ApiGatewayRestApi' })
    const headers = ResponseParameters as Readonly<Record<string, string>>
    assert.is(headers['gatewayresponse.header.Access-Control-Allow-Origin'], 'method.request.header.Origin')
    assert.is(headers['gatewayresponse.header.Access-Control-Allow-Credentials'], "'true'")
    assert.is(headers['gatewayresponse.header.Retry-After'], ResponseType === 'THROTTLED' ? "'2'" : undefined)
    const body = JSON.parse((ResponseTemplates as Readonly<Record<string, string>>)['application/json'] ?? '')
    assert.equal(Object.keys(body), ['detail', 'code'])
    assert.ok(ERROR_CODES.includes(body.code), body.code)
  }
})

test('each function has a size and a role of its own, and ffmpeg if it runs it', () => {
  assert.equal(template.of('Lambda::Function').length, NAMES.length)
  for (const [name, { storage, ...size }] of Object.entries(SIZES)) {
    const { MemorySize, Timeout, EphemeralStorage, Role, Architectures, Layers, Runtime } = functionOf(name)
    assert.equal({ MemorySize, Timeout }, size, name)
    assert.equal(EphemeralStorage, storage && { Size: storage }, name)
    assert.equal(Role, { 'Fn::GetAtt': [`${capital(name)}Role`, 'Arn'] }, name)
    assert.equal([Architectures, Runtime], [['arm64'], 'nodejs24.x'], name)
    const published = { 'Fn::Join': ['', ['{{resolve:ssm:/lantern-room/prod/ffmpeg-layer/arm64}}']] }
    assert.equal(Layers, RUNS_FFMPEG.includes(name) ? [published] : undefined, name)
  }
})

test('each function has the bucket, the token by reference, and the settings that Lambda asks for', () => {
  for (const name of NAMES)
    assert.equal(
      functionOf(name).Environment,
      {
        Variables: {
          PREPARE_TIMEOUT_SECONDS: '270',
          MAX_CONCURRENT_JOBS: '1',
          GCONV_PATH: '/nonexistent',
          RESPONSE_MODE: 'stream',
          STAGE: 'prod',
          S3_BUCKET: { Ref: 'MediaBucket' },
          MEDIA_SERVICE_TOKEN: {
            'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: 'MediaToken' }, ':SecretString}}']],
          },
        },
      },
      name,
    )
})

test('the token is made by AWS, of characters that a header may hold', () => {
  assert.equal(resource('MediaToken').Properties.GenerateSecretString, {
    PasswordLength: 48,
    ExcludePunctuation: true,
    IncludeSpace: false,
  })
})

test('the sweep runs by the clock', () => {
  const [[, rule] = []] = template.of('Events::Rule')
  assert.is(rule?.ScheduleExpression, 'rate(15 minutes)')
  assert.match(JSON.stringify(rule?.Targets), '["SweepLambdaFunction","Arn"]},"live"]')
})

test('whatever calls a function may call what is live, and a new stack has that', () => {
  const aliases = template
    .of('Lambda::Alias')
    .map(([id, alias]) => `${id} ${alias.Name} ${alias.FunctionVersion}`)
  const expected = NAMES.flatMap((name) =>
    ['live', 'previous'].map((alias) => `${capital(name)}${capital(alias)}Alias ${alias} $LATEST`),
  )
  assert.equal(aliases.sort(), expected.sort())
  const allowed = template.of('Lambda::Permission').map(([, { FunctionName }]) => FunctionName)
  const arns = NAMES.map((name) => ({ 'Fn::GetAtt': [`${capital(name)}LambdaFunction`, 'Arn'] }))
  const texts = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort()
  assert.equal(texts(allowed), texts(arns.map((arn) => ({ 'Fn::Join': [':', [arn, 'live']] }))))
})

/** What the store calls of each function need, and nothing else. */
const SESSION = 'sessions/????????????????????????????????*'
const CHECK = 'check/????????????????????????????????*'
const ANSWER = 'answers/????????????????????????????????*'
const ANSWERS = [
  ...['s3:GetObject answers/*', `s3:ListBucket ${ANSWER}`],
  ...['s3:PutObject answers/*', 's3:AbortMultipartUpload answers/*'],
]
const UPLOAD = 'uploads/????????????????????????????????*'
const MAY: Readonly<Record<string, readonly string[]>> = {
  health: ['s3:PutObject check/*', 's3:DeleteObject check/*'],
  document: [],
  upload: [
    ...['s3:GetObject uploads/*', `s3:ListBucket ${UPLOAD}`],
    ...['s3:PutObject uploads/*', 's3:DeleteObject uploads/*'],
  ],
  prepare: [
    ...['s3:GetObject uploads/*', `s3:ListBucket ${UPLOAD}`],
    ...['s3:PutObject uploads/*', 's3:DeleteObject uploads/*'],
    ...['s3:GetObject sessions/*', `s3:ListBucket ${SESSION}`],
    ...['s3:PutObject sessions/*', 's3:AbortMultipartUpload sessions/*', 's3:DeleteObject sessions/*'],
  ],
  motionPhoto: [
    ...['s3:GetObject uploads/*', `s3:ListBucket ${UPLOAD}`],
    ...['s3:PutObject uploads/*', 's3:DeleteObject uploads/*'],
    ...ANSWERS,
  ],
  preview: ['s3:GetObject sessions/*', `s3:ListBucket ${SESSION}`],
  convert: ['s3:GetObject sessions/*', `s3:ListBucket ${SESSION}`, ...ANSWERS],
  thumbnail: ['s3:GetObject sessions/*', `s3:ListBucket ${SESSION}`],
  session: ['s3:GetObject sessions/*', `s3:ListBucket ${SESSION}`],
  photo: ['s3:GetObject uploads/*', `s3:ListBucket ${UPLOAD}`, ...ANSWERS],
  cleanup: ['s3:GetObject sessions/*', `s3:ListBucket ${SESSION}`, 's3:DeleteObject sessions/*'],
  sweep: [
    ...['s3:GetObject check/*', `s3:ListBucket ${CHECK}`, 's3:ListBucket check/*'],
    ...['s3:PutObject check/*', 's3:DeleteObject check/*'],
    ...['s3:ListBucket sessions/*', 's3:DeleteObject sessions/*'],
    ...['s3:ListBucket uploads/*', 's3:DeleteObject uploads/*'],
    ...['s3:ListBucket answers/*', 's3:DeleteObject answers/*'],
  ],
}

for (const name of NAMES)
  test(`${name} may do what its calls need and write its own log`, () => {
    const { AssumeRolePolicyDocument, Policies, ...others } = resource(`${capital(name)}Role`).Properties
    assert.equal(others, {})
    assert.equal((AssumeRolePolicyDocument as Policy).Statement, [
      { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ])
    const [policy, ...more] = Policies as { PolicyDocument: Policy }[]
    assert.equal(more, [])
    const logs = { 'Fn::GetAtt': [`${capital(name)}LogGroup`, 'Arn'] }
    const [log, ...calls] = [...(policy?.PolicyDocument.Statement ?? [])].reverse()
    assert.equal(log, {
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: logs,
    })
    assert.equal(calls.flatMap(allowed).sort(), [...(MAY[name] ?? [])].sort())
  })

test('nothing else is allowed to anyone, and nothing with a wildcard for an action or a whole service', () => {
  assert.equal(template.of('IAM::Role').length, NAMES.length)
  assert.equal([...template.of('IAM::Policy'), ...template.of('IAM::ManagedPolicy')], [])
  const statements = statementsIn(JSON.parse(template.text)).filter(({ Effect }) => Effect === 'Allow')
  assert.ok(statements.length >= 3 * NAMES.length)
  for (const { Action, Resource } of statements) {
    assert.not.match(JSON.stringify(Action), /\*/)
    assert.not.equal(Resource, '*')
  }
})

test('the bucket is encrypted, closed to the public, owned by its account and reached by TLS only', () => {
  const { BucketEncryption, PublicAccessBlockConfiguration, OwnershipControls } =
    resource('MediaBucket').Properties
  assert.equal(BucketEncryption, {
    ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
  })
  assert.equal(PublicAccessBlockConfiguration, {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  })
  assert.equal(OwnershipControls, { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] })
  const { Bucket, PolicyDocument } = resource('MediaBucketPolicy').Properties
  assert.equal(Bucket, { Ref: 'MediaBucket' })
  const bucket = { 'Fn::GetAtt': ['MediaBucket', 'Arn'] }
  assert.equal((PolicyDocument as Policy).Statement, [
    {
      Sid: 'OnlyByTls',
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:*',
      Resource: [bucket, { 'Fn::Join': ['', [bucket, '/*']] }],
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  ])
})

test('browsers may send uploads to the bucket, and read from it by signed addresses', () => {
  assert.equal(resource('MediaBucket').Properties.CorsConfiguration, {
    CorsRules: [
      {
        AllowedMethods: ['PUT'],
        AllowedOrigins: ['*'],
        AllowedHeaders: ['*'],
        ExposedHeaders: ['ETag'],
        MaxAge: 3600,
      },
      {
        AllowedMethods: ['GET'],
        AllowedOrigins: ['*'],
        AllowedHeaders: ['*'],
        ExposedHeaders: ['Accept-Ranges', 'Content-Range', 'Content-Length', 'Content-Disposition', 'ETag'],
        MaxAge: 3600,
      },
    ],
  })
})

test('every function has a log group that is kept for a month', () => {
  const groups = template.of('Logs::LogGroup')
  assert.equal(groups.map(([name]) => name).sort(), NAMES.map((name) => `${capital(name)}LogGroup`).sort())
  for (const [name, { LogGroupName, RetentionInDays }] of groups) {
    const { FunctionName } = resource(name.replace('LogGroup', 'LambdaFunction')).Properties
    assert.equal([LogGroupName, RetentionInDays], [`/aws/lambda/${FunctionName}`, 30])
  }
})

test('alarms are raised by the share of what failed, for each function and the API', () => {
  const alarms = Object.fromEntries(template.of('CloudWatch::Alarm'))
  const shared = {
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
    AlarmActions: [{ Ref: 'AlarmTopic' }],
  }
  const share = (Expression: string, Namespace: string, Dimensions: unknown, names: readonly string[]) => ({
    Metrics: [
      { Id: 'share', Expression },
      ...names.map((MetricName) => ({
        Id: `m${MetricName.toLowerCase()}`,
        MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: 300, Stat: 'Sum' },
        ReturnData: false,
      })),
    ],
    Threshold: 5,
  })
  for (const [name, { Timeout }] of Object.entries(SIZES)) {
    const Dimensions = [{ Name: 'FunctionName', Value: { Ref: `${capital(name)}LambdaFunction` } }]
    const failed = '(FILL(merrors, 0) + FILL(mthrottles, 0))'
    const all = '(FILL(minvocations, 0) + FILL(mthrottles, 0))'
    const expression = `IF(${failed} < ${name === 'sweep' ? 1 : 3}, 0, 100 * ${failed} / ${all})`
    const { AlarmDescription, ...failures } = alarms[`${capital(name)}FailuresAlarm`] ?? {}
    const metrics = ['Errors', 'Throttles', 'Invocations']
    assert.equal(failures, { ...share(expression, 'AWS/Lambda', Dimensions, metrics), ...shared })
    const { AlarmDescription: also, ...slow } = alarms[`${capital(name)}DurationAlarm`] ?? {}
    const duration = { Namespace: 'AWS/Lambda', Dimensions, MetricName: 'Duration', Period: 300 }
    assert.equal(slow, { ...duration, ExtendedStatistic: 'p95', Threshold: Timeout * 800, ...shared })
    assert.ok(AlarmDescription && also)
  }
  const { AlarmDescription, ...api } = alarms.ApiServerErrorAlarm ?? {}
  const [[, { Name: Value } = {}] = []] = template.of('ApiGateway::RestApi')
  const dimensions = [
    { Name: 'ApiName', Value },
    { Name: 'Stage', Value: 'prod' },
  ]
  const expression = 'IF((FILL(m5xxerror, 0)) < 3, 0, 100 * (FILL(m5xxerror, 0)) / (FILL(mcount, 0)))'
  assert.equal(api, { ...share(expression, 'AWS/ApiGateway', dimensions, ['5XXError', 'Count']), ...shared })
  assert.ok(AlarmDescription)
  assert.is(Object.keys(alarms).length, 2 * NAMES.length + 1)
})

test('whoever deploys is told the address, the bucket, where the token is and where alarms go', () => {
  const { ServiceEndpoint, ...outputs } = template.Outputs
  assert.match(JSON.stringify(ServiceEndpoint?.Value), /https:.*ApiGatewayRestApi.*execute-api.*\/prod/)
  assert.equal(
    Object.entries(outputs).map(([name, { Value }]) => [name, Value]),
    [
      ['ServerlessDeploymentBucketName', { Ref: 'ServerlessDeploymentBucket' }],
      ['BucketName', { Ref: 'MediaBucket' }],
      ['TokenSecret', { Ref: 'MediaToken' }],
      ['AlarmTopicArn', { Ref: 'AlarmTopic' }],
    ],
  )
})

test('the gateway lets through what a new account can take, and says no more of it than it is told to', () => {
  const [[, stage] = []] = template.of('ApiGateway::Stage')
  const [[deployment, { StageName } = {}] = []] = template.of('ApiGateway::Deployment')
  const every = { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }
  assert.equal(stage, {
    RestApiId: { Ref: 'ApiGatewayRestApi' },
    StageName: 'prod',
    DeploymentId: { Ref: deployment },
    MethodSettings: [every],
    TracingEnabled: false,
  })
  assert.equal(StageName, { Ref: 'AWS::NoValue' })
})

test('the policy for whoever deploys names each service that the stack has a part of', async () => {
  const policy: Policy = JSON.parse(await readFile('docs/deploy-rights.json', 'utf8'))
  const services = policy.Statement.flatMap(({ Action }) => Action).map((name) => String(name).split(':')[0])
  const needed = Object.values(template.Resources).map(({ Type }) => Type.split('::')[1]?.toLowerCase())
  const missing = needed.filter((name) => !services.includes(name))
  assert.equal(new Set(missing), new Set())
})

type Statement = {
  readonly Effect: string
  readonly Action: unknown
  readonly Resource?: unknown
  readonly Condition?: unknown
}
type Policy = { readonly Statement: readonly Statement[] }
type Handler = keyof typeof SIZES

function resource(name: string): Resource {
  const found = template.Resources[name]
  if (!found) throw new Error(`The template has no resource ${name}.`)
  return found
}

function functionOf(name: string): Resource['Properties'] {
  return resource(`${capital(name)}LambdaFunction`).Properties
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** `/preview/{file}` of a reference to the gateway's tree of resources. */
function pathOf(reference: unknown): string {
  const { Ref } = reference as { Ref?: string }
  // The root has no resource of its own.
  if (Ref === undefined) return '/'
  const { ParentId, PathPart } = resource(Ref).Properties
  return `${pathOf(ParentId).replace(/\/$/, '')}/${PathPart}`
}

function handlerOf(path: string): Handler {
  const [, first = '', , part] = path.split('/')
  if (part === 'frames') return 'thumbnail'
  const named: Readonly<Record<string, Handler>> = {
    uploads: 'upload',
    sessions: 'session',
    'motion-photo': 'motionPhoto',
    inspect: 'photo',
    extract: 'photo',
    repair: 'photo',
  }
  const found = named[first] ?? first
  return found in SIZES ? (found as Handler) : 'document'
}

/** `s3:GetObject sessions/*`; throws for a statement of another shape. */
function allowed({ Action, Resource, Condition, ...others }: Statement): string[] {
  assert.equal(others, { Effect: 'Allow' })
  const bucket = JSON.stringify({ 'Fn::GetAtt': ['MediaBucket', 'Arn'] })
  const text = JSON.stringify(Resource)
  const actions = Action as string[]
  if (text === bucket) {
    const { StringLike, ...more } = Condition as { StringLike: { 's3:prefix': string[] } }
    assert.equal(more, {})
    return actions.flatMap((action) => StringLike['s3:prefix'].map((prefix) => `${action} ${prefix}`))
  }
  assert.is(Condition, undefined)
  const { 'Fn::Join': [glue, [arn, objects] = []] = [] } = Resource as { 'Fn::Join'?: [string, unknown[]] }
  assert.equal([glue, JSON.stringify(arn)], ['', bucket])
  return actions.map((action) => `${action} ${String(objects).replace(/^\//, '')}`)
}

/** Every policy statement, wherever in the template. */
function statementsIn(tree: unknown): Statement[] {
  if (typeof tree !== 'object' || tree === null) return []
  const own = 'Effect' in tree && 'Action' in tree ? [tree as Statement] : []
  return [...own, ...Object.values(tree).flatMap(statementsIn)]
}

test.run()
