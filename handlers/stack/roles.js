// What each function may do: its row names the calls it makes to the object store, and nothing else is allowed.

/** An id is 32 characters: whoever knows one may ask whether its objects are there, and cannot list the ids of others. */
const ANY_ID = '?'.repeat(32)

/** Calls to the store below a prefix, as the actions and resources of S3 that they need. */
const CALLS = {
  // Without the right to list, S3 answers 403 and not 404 for what is not there. It takes the key for the prefix then.
  read: (prefix) => [objects(prefix, 's3:GetObject'), listing([`${prefix}/${ANY_ID}*`])],
  write: (prefix) => [objects(prefix, 's3:PutObject')],
  // Large ones go in parts, and what is not finished is taken back.
  writeFiles: (prefix) => [objects(prefix, 's3:PutObject', 's3:AbortMultipartUpload')],
  remove: (prefix) => [objects(prefix, 's3:DeleteObject')],
  list: (prefix) => [listing([`${prefix}/*`])],
}

/** @type {Record<string, Record<string, (keyof typeof CALLS)[]>>} by function, by prefix */
const ACCESS = {
  // Whether the store can be written is found out by writing.
  health: { check: ['write', 'remove'] },
  document: { check: ['write', 'remove'] },
  upload: { uploads: ['read', 'write', 'remove'] },
  // It reads a session only to find out whether it was itself who wrote it, when an answer got lost.
  prepare: { uploads: ['read', 'write', 'remove'], sessions: ['read', 'writeFiles', 'remove'] },
  preview: { sessions: ['read'] },
  convert: { sessions: ['read'] },
  thumbnail: { sessions: ['read'] },
  session: { sessions: ['read'] },
  cleanup: { sessions: ['read', 'remove'] },
  sweep: { sessions: ['read', 'list', 'remove'], uploads: ['list', 'remove'] },
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

/** Its own log group only, which the stack makes; the group's ARN ends with the place for a stream's name. */
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
