import { convertAccess, motionPhotoAccess } from '../../core/media/api/convert'
import { photoAccess } from '../../core/media/api/photos'
import { pictureAccess } from '../../core/media/api/pictures'
import { prepareAccess } from '../../core/media/api/prepare'
import { previewAccess } from '../../core/media/api/preview'
import { healthAccess } from '../../core/media/api/service'
import { cleanupAccess, sessionAccess } from '../../core/media/api/sessions'
import { uploadAccess } from '../../core/media/api/uploads'
import type { StoreAccess, StoreCall } from '../../core/media/objectStore/ports'
import { sweepAccess } from '../../core/media/sweep'
import { join, type Resource, type Resources, type StackSettings } from './settings'

/**
 * The rights of each function follow from the routes that it serves: each route declares the calls that it makes to the
 * object store. Nothing else is allowed. See docs/decisions.md, D50.
 */

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
const CALLS: Readonly<Record<StoreCall, (prefix: string) => readonly Statement[]>> = {
  // Without the right to list, S3 answers 403 instead of 404 for an absent object. It checks the key as the prefix.
  read: (prefix) => [objects(prefix, 's3:GetObject'), listing([`${prefix}/${ANY_ID}*`])],
  write: (prefix) => [objects(prefix, 's3:PutObject')],
  // Large files are sent in parts, and unfinished uploads are aborted.
  writeFiles: (prefix) => [objects(prefix, 's3:PutObject', 's3:AbortMultipartUpload')],
  remove: (prefix) => [objects(prefix, 's3:DeleteObject')],
  list: (prefix) => [listing([`${prefix}/*`])],
}

/** The rights of each function, derived from the store operations of the routes that it serves. */
const ACCESS = {
  health: [healthAccess],
  document: [],
  upload: [uploadAccess],
  prepare: [prepareAccess],
  prepareQueued: [prepareAccess],
  motionPhoto: [motionPhotoAccess],
  preview: [previewAccess],
  convert: [convertAccess],
  thumbnail: [pictureAccess],
  session: [sessionAccess, pictureAccess],
  photo: [photoAccess],
  cleanup: [cleanupAccess],
  sweep: [sweepAccess],
} satisfies Readonly<Record<string, readonly StoreAccess[]>>

export type FunctionName = keyof typeof ACCESS

/** The function that works for the queue. */
export const QUEUED: FunctionName = 'prepareQueued'

/** Calls to the queue, of the functions that make them or for which Lambda makes them. */
const QUEUE_CALLS: Partial<Record<FunctionName, readonly string[]>> = {
  prepare: ['SendMessage'],
  prepareQueued: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'],
}

/** The functions of a stage. */
export function functionsOf({ queue }: Pick<StackSettings, 'queue'>): readonly FunctionName[] {
  const names = Object.keys(ACCESS) as FunctionName[]
  return names.filter((name) => queue === 'on' || name !== QUEUED)
}

/** A role for each function, named `PrepareRole` for `prepare`. */
export function roleResources(settings: Pick<StackSettings, 'kmsKey' | 'queue'>): Resources {
  return Object.fromEntries(
    functionsOf(settings).map((name) => [`${capital(name)}Role`, role(name, settings)]),
  )
}

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function role(name: FunctionName, { kmsKey, queue }: Pick<StackSettings, 'kmsKey' | 'queue'>): Resource {
  const calls = Object.entries(union(ACCESS[name])).flatMap(([prefix, kinds]) =>
    [...kinds].flatMap((kind) => CALLS[kind](prefix)),
  )
  const Action = ['kms:Decrypt', 'kms:GenerateDataKey']
  const keys = kmsKey === 'none' || calls.length === 0 ? [] : [{ Effect: 'Allow', Action, Resource: kmsKey }]
  const messages = (queue === 'on' && QUEUE_CALLS[name]?.map((call) => `sqs:${call}`)) || []
  const Resource = { 'Fn::GetAtt': ['PrepareQueue', 'Arn'] }
  const sqs = messages.length === 0 ? [] : [{ Effect: 'Allow', Action: messages, Resource }]
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
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

/** The calls of several routes, by prefix. */
function union(all: readonly StoreAccess[]): Readonly<Record<string, ReadonlySet<StoreCall>>> {
  const calls: Record<string, Set<StoreCall>> = {}
  for (const [prefix, kinds] of all.flatMap((access) => Object.entries(access))) {
    calls[prefix] ??= new Set()
    for (const kind of kinds) calls[prefix].add(kind)
  }
  return calls
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
