import { join, PARTITION, type Resource, type Resources, type StackSettings } from './settings'

/** A right, as IAM takes it. */
type Statement = {
  readonly Effect: 'Allow'
  readonly Action: readonly string[]
  readonly Resource: unknown
  readonly Condition?: unknown
}

/** An id has 32 characters. Functions can check whether the objects of a known id exist, but cannot list other ids. */
const ANY_ID = '?'.repeat(32)

/** Calls to the store below a prefix, as the actions and resources of S3 that they need. */
const CALLS = {
  // Without the right to list, S3 answers 403 instead of 404 for an absent object. It checks the key as the prefix.
  read: (prefix: string) => [objects(prefix, 's3:GetObject'), listing([`${prefix}/${ANY_ID}*`])],
  write: (prefix: string) => [objects(prefix, 's3:PutObject')],
  // Files of any size are sent in parts, and unfinished uploads are aborted.
  writeFiles: (prefix: string) => [objects(prefix, 's3:PutObject', 's3:AbortMultipartUpload')],
  remove: (prefix: string) => [objects(prefix, 's3:DeleteObject')],
  list: (prefix: string) => [listing([`${prefix}/*`])],
}

/** The calls of a function to the object store, by the first part of the keys. */
type StoreAccess = Readonly<Record<string, readonly (keyof typeof CALLS)[]>>

/** Counting what a client uses, to which only new objects are added. */
const QUOTA = ['read', 'list', 'write'] as const
/** It reads a session only to recognise its own record after a lost answer. */
const PREPARE: StoreAccess = {
  callbacks: ['read', 'write', 'remove'],
  quotas: QUOTA,
  uploads: ['read', 'write', 'remove'],
  sessions: ['read', 'writeFiles', 'remove'],
  // What waits for its client's turn.
  waiting: ['write', 'remove'],
}
/** Answers that are too large for the gateway. */
const ANSWERS: StoreAccess = { answers: ['read', 'writeFiles'] }

/** What each function does in the store. Nothing else is allowed to it. */
const ACCESS = {
  health: { check: ['write', 'remove'] },
  document: {},
  // What a killed worker has stored goes with an upload that is cancelled.
  upload: {
    callbacks: ['read'],
    quotas: ['read', 'list'],
    uploads: ['read', 'write', 'remove'],
    sessions: ['read', 'write', 'remove'],
  },
  prepare: PREPARE,
  prepareQueued: PREPARE,
  motionPhoto: { quotas: QUOTA, uploads: ['read', 'write', 'remove'], ...ANSWERS },
  preview: { sessions: ['read'] },
  convert: { quotas: QUOTA, sessions: ['read'], ...ANSWERS },
  thumbnail: { sessions: ['read'] },
  session: { sessions: ['read'] },
  photo: { uploads: ['read'], ...ANSWERS },
  cleanup: { sessions: ['read', 'remove'] },
  sweep: {
    check: ['read', 'list', 'write', 'remove'],
    answers: ['list', 'remove'],
    waiting: ['list', 'remove'],
    quotas: ['list', 'remove'],
    sessions: ['list', 'remove'],
    // It tries callbacks, too, which tell how uploads have ended.
    callbacks: ['read', 'list', 'write', 'remove'],
    uploads: ['read', 'list', 'remove'],
  },
} satisfies Readonly<Record<string, StoreAccess>>

export type FunctionName = keyof typeof ACCESS

/** The function that works for the queue. */
export const QUEUED: FunctionName = 'prepareQueued'

/** Calls to the queue, of the functions that make them or for which Lambda makes them. */
const QUEUE_CALLS: Partial<Record<FunctionName, readonly string[]>> = {
  upload: ['SendMessage'],
  prepare: ['SendMessage'],
  prepareQueued: [
    'ReceiveMessage',
    'DeleteMessage',
    'GetQueueAttributes',
    'ChangeMessageVisibility',
    'SendMessage',
  ],
}

/** The functions of a stage. */
export function functionsOf({ queue }: Pick<StackSettings, 'queue'>): readonly FunctionName[] {
  const names = Object.keys(ACCESS) as FunctionName[]
  return names.filter((name) => queue === 'on' || name !== QUEUED)
}

type RoleSettings = Pick<StackSettings, 'kmsKey' | 'queue' | 'permissionsBoundary'>

/** A role for each function, named `PrepareRole` for `prepare`. */
export function roleResources(settings: RoleSettings): Resources {
  return Object.fromEntries(
    functionsOf(settings).map((name) => [`${capital(name)}Role`, role(name, settings)]),
  )
}

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function role(name: FunctionName, { kmsKey, queue, permissionsBoundary }: RoleSettings): Resource {
  const access: StoreAccess = ACCESS[name]
  const calls = Object.entries(access).flatMap(([prefix, kinds]) =>
    kinds.flatMap((kind) => CALLS[kind](prefix)),
  )
  const Action = ['kms:Decrypt', 'kms:GenerateDataKey']
  const keys = kmsKey === 'none' || calls.length === 0 ? [] : [{ Effect: 'Allow', Action, Resource: kmsKey }]
  const messages = (queue === 'on' && QUEUE_CALLS[name]?.map((call) => `sqs:${call}`)) || []
  const Resource = { 'Fn::GetAtt': ['PrepareQueue', 'Arn'] }
  const sqs = messages.length === 0 ? [] : [{ Effect: 'Allow', Action: messages, Resource }]
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      ...(permissionsBoundary !== 'none' && { PermissionsBoundary: policyArn(permissionsBoundary) }),
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
        ],
      },
      Policies: [
        {
          PolicyName: name,
          PolicyDocument: { Version: '2012-10-17', Statement: [...calls, ...keys, ...sqs, logs(name)] },
        },
      ],
    },
  }
}

/** Of a policy by its name, in the account of the stack. */
function policyArn(policy: string) {
  if (policy.startsWith('arn:')) return policy
  return join('arn:', PARTITION, ':iam::', { Ref: 'AWS::AccountId' }, `:policy/${policy}`)
}

/** The function's own log group only, which the stack creates; its ARN ends with a wildcard for the stream's name. */
function logs(name: FunctionName): Statement {
  return {
    Effect: 'Allow',
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Resource: { 'Fn::GetAtt': [`${capital(name)}LogGroup`, 'Arn'] },
  }
}

function objects(prefix: string, ...Action: readonly string[]): Statement {
  const Resource = join({ 'Fn::GetAtt': ['MediaBucket', 'Arn'] }, `/${prefix}/*`)
  return { Effect: 'Allow', Action, Resource }
}

function listing(prefixes: readonly string[]): Statement {
  return {
    Effect: 'Allow',
    Action: ['s3:ListBucket'],
    Resource: { 'Fn::GetAtt': ['MediaBucket', 'Arn'] },
    Condition: { StringLike: { 's3:prefix': prefixes } },
  }
}
