// The rights of each function: its row names the calls that it makes to the object store. Nothing else is allowed.
// See docs/decisions.md, D50.

/** An id has 32 characters. Functions can check whether the objects of a known id exist, but cannot list other ids. */
const ANY_ID = '?'.repeat(32)

/** Calls to the store below a prefix, as the actions and resources of S3 that they need. */
const CALLS = {
  // Without the right to list, S3 answers 403 instead of 404 for an absent object. It checks the key as the prefix.
  read: (prefix) => [objects(prefix, 's3:GetObject'), listing([`${prefix}/${ANY_ID}*`])],
  write: (prefix) => [objects(prefix, 's3:PutObject')],
  // Large files are sent in parts, and unfinished uploads are aborted.
  writeFiles: (prefix) => [objects(prefix, 's3:PutObject', 's3:AbortMultipartUpload')],
  remove: (prefix) => [objects(prefix, 's3:DeleteObject')],
  list: (prefix) => [listing([`${prefix}/*`])],
}

/** @type {Record<string, Record<string, (keyof typeof CALLS)[]>>} by function, by prefix */
const ACCESS = {
  // The check of the store writes an object.
  health: { check: ['write', 'remove'] },
  document: {},
  upload: { uploads: ['read', 'write', 'remove'] },
  // It reads a session only to recognise its own record after a lost answer.
  prepare: { uploads: ['read', 'write', 'remove'], sessions: ['read', 'writeFiles', 'remove'] },
  motionPhoto: { uploads: ['read', 'write', 'remove'] },
  preview: { sessions: ['read'] },
  convert: { sessions: ['read'] },
  thumbnail: { sessions: ['read'] },
  session: { sessions: ['read'] },
  photo: { uploads: ['read'] },
  cleanup: { sessions: ['read', 'remove'] },
  // It examines the store, and reads of what it would remove when that expires.
  sweep: {
    check: ['read', 'list', 'write', 'remove'],
    sessions: ['read', 'list', 'remove'],
    uploads: ['read', 'list', 'remove'],
  },
}

export const FUNCTIONS = Object.keys(ACCESS)

/** A role for each function, named `PrepareRole` for `prepare`. */
export function roleResources() {
  return Object.fromEntries(FUNCTIONS.map((name) => [`${capital(name)}Role`, role(name)]))
}

export function capital(name) {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function role(name) {
  const calls = Object.entries(ACCESS[name]).flatMap(([prefix, kinds]) =>
    kinds.flatMap((kind) => CALLS[kind](prefix)),
  )
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
          PolicyDocument: { Version: '2012-10-17', Statement: [...calls, logs(name)] },
        },
      ],
    },
  }
}

/** The function's own log group only, which the stack creates; its ARN ends with a wildcard for the stream's name. */
function logs(name) {
  return {
    Effect: 'Allow',
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Resource: { 'Fn::GetAtt': [`${capital(name)}LogGroup`, 'Arn'] },
  }
}

function objects(prefix, ...Action) {
  const Resource = { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['MediaBucket', 'Arn'] }, `/${prefix}/*`]] }
  return { Effect: 'Allow', Action, Resource }
}

function listing(prefixes) {
  return {
    Effect: 'Allow',
    Action: ['s3:ListBucket'],
    Resource: { 'Fn::GetAtt': ['MediaBucket', 'Arn'] },
    Condition: { StringLike: { 's3:prefix': prefixes } },
  }
}
