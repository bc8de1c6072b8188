import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createEmfMetrics } from '@lantern-room/adapters/system'
import { HTTP_STATUS } from '@lantern-room/base/http'
import { type DirectHost, startDirectHost } from '#support/hosts/directHost'
import { restApi } from '#support/hosts/lambdaEvents'
import { openTask, startLambda } from '#support/hosts/lambdaProcess'
import { packageService, type Resource, type Template } from '#support/hosts/serverlessPackage'
import { findProgram } from '#support/process/findProgram'
import { projectRoot, startServer } from '#support/process/serverProcess'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { linesWritten } from '#support/values/testLog'
import type { HttpEvent } from '../../handlers/host/address'
import { HEALTH_EVENT } from '../../handlers/stack/health'

// The CloudFormation template of a stage, as it is by default and with what else a stage may have. cfn-lint and checkov judge it as
// CloudFormation and as a stack of AWS; here is what they cannot know: what this service and its documents need.

const test = suite('the stack of a stage', { timeoutMs: 180_000 })
const MEDIA_SERVICE_TOKEN = 'token-of-the-one-who-packages'
const TEMPLATE = 'cloudformation-template-update-stack.json'
const arn = (service: string, rest: string) => `arn:aws:${service}:eu-central-1:123456789012:${rest}`
const OPTIONS = {
  token: 'none',
  kmsKey: arn('kms', 'key/k'),
  domain: 'media.example.com',
  certificate: arn('acm', 'certificate/c'),
  waf: arn('wafv2', 'regional/webacl/w/1'),
  monthlyBudget: '50',
  alarmEmail: 'ops@example.com',
  dashboard: 'on',
  studio: 'on',
  queue: 'on',
  callbackSecret: 'secret:callbacks',
  accessLog: 'on',
  tracing: 'on',
}
/** What cannot be had with all of these. */
const GUARDED = {
  token: 'none',
  authorizer: 'aws_iam',
  waf: 'rate:2000',
  canary: '10:15',
  permissionsBoundary: 'lantern-room-boundary',
  previewConcurrency: '3',
}
const folder = await folderOfSuite('lantern-stack')
const files = ['default', 'options', 'guarded'].map((name) => join(folder, name, TEMPLATE))
let template: Template
let withOptions: Template
let guarded: Template
let host: DirectHost

test.before(async () => {
  const settings = { MEDIA_SERVICE_TOKEN }
  const params = { stage: 'prod', settings }
  ;[template, withOptions, guarded, host] = await Promise.all([
    packageService({ ...params, folder: join(folder, 'default') }),
    packageService({ ...params, folder: join(folder, 'options'), params: OPTIONS }),
    packageService({ ...params, folder: join(folder, 'guarded'), params: GUARDED }),
    startDirectHost(),
  ])
})
test.after(() => host?.stop())

// W3005: serverless names roles as dependencies that are ones anyway.
judge('cfn-lint', ['--ignore-checks', 'W3005', '--', ...files])
// It takes what is in .checkov.yaml.
judge('checkov', ['--file', ...files])

function judge(program: string, args: readonly string[]): void {
  test.skipUnless(findProgram(program), `${program} is not installed`)(
    `${program} finds nothing wrong`,
    async () => {
      // checkov leaves a cache there.
      const env = { ...process.env, TMPDIR: folder }
      await promisify(execFile)(program, args, { cwd: projectRoot, env }).catch(
        ({ message, stdout, stderr }) => {
          throw new Error([message, stdout, stderr].join('\n'))
        },
      )
    },
  )
}

test('its routes are the routes of the app, and one for all the rest', async () => {
  const { paths } = (await (await host.send('/openapi.json')).json()) as { paths: Record<string, unknown> }
  const routes = template.of('ApiGateway::Method').map(([, { ResourceId }]) => pathOf(ResourceId))
  // A part of a path is a name or a parameter there, and never both.
  const wanted = Object.keys(paths).map((path) => path.replace(/\{\w+\}\.(mp4|jpg)$/, '{file}'))
  assert.equal(routes.sort(), [...wanted, '/{proxy+}'].sort())
})

test('the function behind each route has this route, and the gateway calls its live version', async () => {
  const routes = template.of('ApiGateway::Method').map(([, method]) => {
    const [, name = ''] = /"(\w+)LambdaFunction","Arn"\]},":","live"/.exec(JSON.stringify(method)) ?? []
    return { name: name.charAt(0).toLowerCase() + name.slice(1), path: pathOf(method.ResourceId) }
  })
  for (const name of new Set(routes.map((route) => route.name))) {
    const task = await openTask([name])
    const lambda = await startLambda(task.folder, name, { DATA_DIR: join(folder, name) })
    try {
      for (const { path } of routes.filter((route) => route.name === name)) {
        const real = path.replace('{file}', '1.jpg').replace(/\{\w+\+?\}/g, 'x')
        const { status } = await lambda.send(restApi({ method: 'OPTIONS', path: real, route: path }))
        // A function answers 500 to what is for another one.
        assert.ok(status < 500, `${name} ${path}: ${status}`)
      }
    } finally {
      await lambda.stop()
      await task.remove()
    }
  }
})

test('the function of /health answers what a deployment asks it without the gateway', async () => {
  const task = await openTask(['health'])
  const lambda = await startLambda(task.folder, 'health', { DATA_DIR: join(folder, 'asked') })
  try {
    assert.is((await lambda.send(HEALTH_EVENT as unknown as HttpEvent)).status, 200)
  } finally {
    await lambda.stop()
    await task.remove()
  }
})

test('every response is streamed, and may begin as late as its function may run', () => {
  const [[, api] = []] = template.of('ApiGateway::RestApi')
  // The other kind ends a connection after half a minute of silence.
  assert.equal(api?.EndpointConfiguration, { Types: ['REGIONAL'] })
  for (const [name, { Integration }] of template.of('ApiGateway::Method')) {
    const { ResponseTransferMode, TimeoutInMillis, Uri } = Integration as Record<string, unknown>
    const text = JSON.stringify(Uri)
    const [, logicalName = ''] = /"(\w+LambdaFunction)"/.exec(text) ?? []
    const { Timeout } = resource(template, logicalName)
    assert.is(ResponseTransferMode, 'STREAM', name)
    assert.match(text, '/response-streaming-invocations')
    // What is not said is 29 s.
    assert.is(TimeoutInMillis ?? 29_000, Number(Timeout) * 1000, name)
  }
})

test('a new stack has the versions that the gateway and the schedule call, and they may call them', () => {
  for (const stack of [template, withOptions]) {
    const functions = stack.of('Lambda::Function').map(([name]) => name.replace('LambdaFunction', ''))
    const aliases = stack
      .of('Lambda::Alias')
      .map(([, { Name, FunctionName }]) => `${Name} ${JSON.stringify(FunctionName)}`)
    assert.is(new Set(aliases).size, 2 * functions.length)
    const permissions = JSON.stringify(stack.of('Lambda::Permission'))
    // Lambda takes messages of the queue by the role of the function.
    for (const name of functions.filter((one) => one !== 'PrepareQueued'))
      assert.ok(permissions.includes(`["${name}LambdaFunction","Arn"]},"live"]`), name)
  }
  const [[, rule] = []] = template.of('Events::Rule')
  assert.match(JSON.stringify(rule), '["SweepLambdaFunction","Arn"]},"live"]')
})

test('what the gateway answers by itself has the form of the service, and pages can read it', () => {
  const answers = template.of('ApiGateway::GatewayResponse').map(([, answer]) => answer)
  assert.ok(answers.length >= 5)
  for (const { ResponseParameters, ResponseTemplates } of answers) {
    const headers = ResponseParameters as Texts
    assert.is(headers['gatewayresponse.header.Access-Control-Allow-Origin'], 'method.request.header.Origin')
    const body = JSON.parse((ResponseTemplates as Texts)['application/json'] ?? '')
    assert.equal(Object.keys(body), ['detail', 'code'])
    assert.ok(body.code in HTTP_STATUS, body.code)
  }
})

test('each function works under its own role, and has ffmpeg and room for files if it runs it', () => {
  for (const [name, { Role, Layers, EphemeralStorage, Environment }] of withOptions.of('Lambda::Function')) {
    const short = name.replace('LambdaFunction', '')
    assert.equal(Role, { 'Fn::GetAtt': [`${short}Role`, 'Arn'] }, name)
    const runsFfmpeg = ['Prepare', 'PrepareQueued', 'Convert', 'MotionPhoto', 'Thumbnail', 'Photo']
    // It only asks whether it works.
    assert.is(Layers !== undefined, [...runsFfmpeg, 'Health'].includes(short), name)
    assert.is(EphemeralStorage !== undefined, runsFfmpeg.includes(short), name)
    const { S3_BUCKET } = (Environment as { Variables: Record<string, unknown> }).Variables
    assert.equal(S3_BUCKET, { Ref: 'MediaBucket' }, name)
  }
})

test('its rights let each function write its own log and use the key of the bucket, and name no whole service', () => {
  for (const [name, role] of withOptions.of('IAM::Role')) {
    const statements = statementsIn(role)
    const text = JSON.stringify(statements)
    const logs = { 'Fn::GetAtt': [name.replace(/Role$/, 'LogGroup'), 'Arn'] }
    const Action = ['logs:CreateLogStream', 'logs:PutLogEvents']
    assert.equal(statements.at(-1), { Effect: 'Allow', Action, Resource: logs })
    assert.is(text.includes('"kms:Decrypt","kms:GenerateDataKey"'), text.includes('s3:'), name)
    assert.not.match(JSON.stringify(statements.map((statement) => statement.Action)), /\*/)
  }
})

test('an authorizer stands before everything but what pages show as pictures and films', () => {
  const open = guarded.of('ApiGateway::Method').filter(([, method]) => method.AuthorizationType === 'NONE')
  assert.equal(open.map(([, { ResourceId }]) => pathOf(ResourceId, guarded)).sort(), [
    '/preview/{file}',
    '/sessions/{session_id}/frames/{file}',
    '/sessions/{session_id}/strip.jpg',
  ])
  const closed = guarded
    .of('ApiGateway::Method')
    .filter(([, method]) => method.AuthorizationType === 'AWS_IAM')
  assert.ok(closed.length > 10)
})

test('the boundary that is shipped bounds every role, and allows what each of them does', async () => {
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(`docs/${name}.json`, 'utf8'))
  const allowed = statementsIn(await read('deploy-boundary')).flatMap(({ Action }) => Action)
  for (const [name, role] of withOptions.of('IAM::Role')) {
    const done = statementsIn(role).flatMap(({ Action }) => Action)
    assert.equal(
      done.filter((action) => !allowed.includes(action)),
      [],
      name,
    )
  }
  for (const [name, { PermissionsBoundary }] of guarded.of('IAM::Role'))
    assert.match(JSON.stringify(PermissionsBoundary), ':policy/lantern-room-boundary', name)
  // What gives rights to a role demands it.
  for (const statement of statementsIn(await read('deploy-rights'))) {
    if (!/CreateRole|PutRolePolicy|Boundary/.test(JSON.stringify(statement.Action))) continue
    assert.match(
      JSON.stringify(statement.Condition),
      '{"iam:PermissionsBoundary":"arn:aws:iam::*:policy/lantern-room-boundary"}',
    )
  }
})

test('requests of one address may be limited, and previews that run at once', () => {
  const [[, acl] = []] = guarded.of('WAFv2::WebACL')
  assert.match(JSON.stringify(acl?.Rules), '"AggregateKeyType":"IP","Limit":2000')
  const [[, association] = []] = guarded.of('WAFv2::WebACLAssociation')
  assert.equal(association?.WebACLArn, { 'Fn::GetAtt': ['RateLimit', 'Arn'] })
  assert.is(resource(guarded, 'PreviewLambdaFunction').ReservedConcurrentExecutions, 3)
})

test('a sweep that does not run, messages that wait and many refusals ring, too', () => {
  const missing = resource(template, 'SweepMissingAlarm')
  assert.equal([missing.TreatMissingData, missing.ComparisonOperator], ['breaching', 'LessThanThreshold'])
  assert.is(resource(withOptions, 'PrepareQueueAgeAlarm').MetricName, 'ApproximateAgeOfOldestMessage')
  const { MetricTransformations } = resource(withOptions, 'GatewayRefusals')
  const [{ MetricName } = {}] = MetricTransformations as readonly { readonly MetricName?: string }[]
  assert.is(resource(withOptions, 'TooManyRequestsAlarm').MetricName, MetricName)
})

test('a callback that was given up rings, by the metric that the functions write', () => {
  const { Namespace, MetricName, Dimensions } = resource(withOptions, 'CallbacksGivenUpAlarm')
  const [line] = linesWritten(() => createEmfMetrics('prod').counted('CallbacksGivenUp', 1, 'app'))
  const { _aws, ...values } = line as EmfLine
  const [written] = _aws.CloudWatchMetrics
  assert.equal([Namespace, MetricName], [written?.Namespace, written?.Metrics[0]?.Name])
  const dimensions = Dimensions as readonly { readonly Name: string; readonly Value: string }[]
  const names = dimensions.map(({ Name }) => Name)
  assert.ok(written?.Dimensions.some((set) => set.toSorted().join() === names.toSorted().join()))
  for (const { Name, Value } of dimensions) assert.is(values[Name], Value)
  assert.not('CallbacksGivenUpAlarm' in Object.fromEntries(template.of('CloudWatch::Alarm')))
})

test('a bucket is reached by TLS only, and browsers may send uploads to it and read what is signed', () => {
  const [[, { PolicyDocument } = {}] = []] = template
    .of('S3::BucketPolicy')
    .filter(([name]) => name === 'MediaBucketPolicy')
  const [refused] = statementsIn(PolicyDocument)
  assert.equal([refused?.Effect, refused?.Action], ['Deny', 's3:*'])
  assert.equal(refused?.Condition, { Bool: { 'aws:SecureTransport': 'false' } })
  const { CorsConfiguration } = resource(template, 'MediaBucket')
  const { CorsRules } = CorsConfiguration as { CorsRules: readonly Cors[] }
  const rules = CorsRules.map((rule) => [rule.AllowedMethods, rule.AllowedOrigins, rule.AllowedHeaders])
  assert.equal(rules, [
    [['PUT'], ['*'], ['*']],
    [['GET'], ['*'], ['*']],
  ])
  // The studio reads parts of a preview.
  assert.ok(CorsRules[1]?.ExposedHeaders.includes('Content-Range'))
})

test('the token is in no template: AWS makes it, and the functions get it by reference', () => {
  assert.not(template.text.includes(MEDIA_SERVICE_TOKEN))
  assert.not(withOptions.text.includes(MEDIA_SERVICE_TOKEN))
  const reference = '"{{resolve:secretsmanager:",{"Ref":"MediaToken"},":SecretString}}"'
  for (const [name, { Environment }] of template.of('Lambda::Function'))
    assert.ok(JSON.stringify(Environment).includes(reference), name)
  assert.not.match(withOptions.text, 'MEDIA_SERVICE_TOKEN')
})

test('each function has an alarm for failures and one for its duration, and all notify the topic', () => {
  const alarms = Object.fromEntries(withOptions.of('CloudWatch::Alarm'))
  for (const [name, { Timeout }] of withOptions.of('Lambda::Function')) {
    const short = name.replace('LambdaFunction', '')
    assert.match(JSON.stringify(alarms[`${short}FailuresAlarm`]), `"Ref":"${name}"`)
    assert.is(alarms[`${short}DurationAlarm`]?.Threshold, Number(Timeout) * 800, name)
  }
  for (const [name, { AlarmActions }] of Object.entries(alarms))
    assert.equal(AlarmActions, [{ Ref: 'AlarmTopic' }], name)
  const [[, topic] = []] = withOptions.of('SNS::Topic')
  assert.equal(topic?.Subscription, [{ Protocol: 'email', Endpoint: OPTIONS.alarmEmail }])
})

test('the gateway lets through as much as docs/deploy.md says', async () => {
  const page = await readFile(join(projectRoot, 'docs/deploy.md'), 'utf8')
  const [, rate, burst] = /`throttleRate`, `throttleBurst` \| (\d+), (\d+) \|/.exec(page) ?? []
  const [[, stage] = []] = template.of('ApiGateway::Stage')
  assert.match(
    JSON.stringify(stage?.MethodSettings),
    `"ThrottlingRateLimit":${rate},"ThrottlingBurstLimit":${burst}}`,
  )
})

test('its outputs are those that docs/deploy.md names', async () => {
  const page = await readFile(join(projectRoot, 'docs/deploy.md'), 'utf8')
  const [, rows = ''] = /^\| Output \|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(page) ?? []
  const named = [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  const own = Object.keys(template.Outputs).filter((name) => name !== 'ServerlessDeploymentBucketName')
  assert.equal(own.sort(), named.sort())
  for (const name of ['DomainTarget', 'StudioBucketName', 'StudioAddress'])
    assert.ok(withOptions.Outputs[name], name)
})

test('behind the CDN the pages come from their bucket, and all else from the API with its methods', () => {
  const [[, cdn = {}] = []] = withOptions.of('CloudFront::Distribution')
  const { CacheBehaviors, DefaultCacheBehavior } = cdn.DistributionConfig as {
    readonly CacheBehaviors: readonly { readonly PathPattern: string; readonly TargetOriginId: string }[]
    readonly DefaultCacheBehavior: unknown
  }
  assert.equal(
    CacheBehaviors.map(({ PathPattern, TargetOriginId }) => `${PathPattern} ${TargetOriginId}`),
    ['/', '/studio.html', '/studio.webmanifest', '/studio-worker.js', '/studio-photos.js'].map(
      (path) => `${path} page`,
    ),
  )
  assert.match(JSON.stringify(DefaultCacheBehavior), /"TargetOriginId":"api".*"DELETE"/)
  const address =
    '"PUBLIC_BASE_URL":{"Fn::Join":["",["https://",{"Fn::GetAtt":["StudioDistribution","DomainName"]}]]}'
  for (const [name, { Environment }] of withOptions.of('Lambda::Function'))
    assert.ok(JSON.stringify(Environment).includes(address), name)
})

test('the policy for deploying names each service that the stack has a part of', async () => {
  const policy: unknown = JSON.parse(await readFile('docs/deploy-rights.json', 'utf8'))
  const actions = statementsIn(policy).flatMap(({ Action }) => Action)
  const services = new Set(actions.map((name) => String(name).split(':')[0]))
  const needed = Object.values(withOptions.Resources).map(({ Type }) => Type.split('::')[1]?.toLowerCase())
  assert.equal(
    needed.filter((name) => !services.has(name)),
    [],
  )
})

test('a wrong choice is refused in one sentence, and a deployment needs a stage', async () => {
  const packaging = packageService({ stage: 'prod', params: { architecture: 'arm' } })
  const said = await packaging.then(
    () => 'nothing',
    (error: Error) => error.message,
  )
  assert.match(said, /The parameter architecture is "arm"; allowed is arm64, x86_64\./)
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
type EmfLine = Readonly<Record<string, unknown>> & {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string
      readonly Metrics: readonly { readonly Name: string }[]
      readonly Dimensions: readonly (readonly string[])[]
    }[]
  }
}
type Cors = Readonly<
  Record<'AllowedMethods' | 'AllowedOrigins' | 'AllowedHeaders' | 'ExposedHeaders', readonly string[]>
>
type Statement = {
  readonly Effect: string
  readonly Action: unknown
  readonly Condition?: unknown
}

function resource({ Resources }: Template, name: string): Resource['Properties'] {
  const found = Resources[name]
  if (!found) throw new Error(`The template has no resource ${name}.`)
  return found.Properties
}

/** `/preview/{file}` of a reference to the gateway's tree of resources. */
function pathOf(reference: unknown, of = template): string {
  const { Ref } = reference as { Ref?: string }
  // The root has no resource of its own.
  if (Ref === undefined) return '/'
  const { ParentId, PathPart } = resource(of, Ref)
  return `${pathOf(ParentId, of).replace(/\/$/, '')}/${PathPart}`
}

/** Every policy statement below, except those about who may take a role. */
function statementsIn(tree: unknown): Statement[] {
  if (typeof tree !== 'object' || tree === null) return []
  const own = 'Effect' in tree && 'Action' in tree && tree.Action !== 'sts:AssumeRole'
  return [...(own ? [tree as Statement] : []), ...Object.values(tree).flatMap(statementsIn)]
}

test.run()
