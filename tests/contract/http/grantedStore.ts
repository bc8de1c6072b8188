import { ServiceError } from '@lantern-room/base'
import type { ObjectStore } from '@lantern-room/media/ports'
import { roleResources } from '../../../handlers/stack/roles'

/** What a role of the stack allows in the bucket: `s3:GetObject sessions/`, and for lists the pattern of what is listed. */
export type Grants = ReadonlySet<string>

/** The grants of each function of the stack, out of its role. */
export function roleGrants(): ReadonlyMap<string, Grants> {
  return new Map(
    Object.values(roleResources({ kmsKey: 'none', queue: 'on', permissionsBoundary: 'none' })).flatMap(
      ({ Properties }) =>
        (Properties.Policies as readonly Policy[]).map(({ PolicyName, PolicyDocument }) => [
          PolicyName,
          new Set(PolicyDocument.Statement.flatMap(grantsOf)),
        ]),
    ),
  )
}

/** A store that refuses what the grants do not allow, in the way that S3 with such a role does. */
export function grantedStore(store: ObjectStore, grants: Grants): ObjectStore {
  const mayNot = (what: string) => {
    throw new ServiceError('unavailable', `not allowed: ${what}`)
  }
  const need = (action: string, key: string) => {
    const what = `${action} ${key.split('/', 1)[0]}/`
    if (!grants.has(what)) mayNot(what)
  }
  /** An absent object is told from a forbidden one only to whoever may list its key. */
  const read = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    need('s3:GetObject', key)
    const result = await work()
    if (result === undefined && !mayList(key)) mayNot(`to know that ${key} is not there`)
    return result
  }
  const mayList = (prefix: string) => [...grants].some((grant) => listPattern(grant)?.test(prefix))
  return {
    putFile: async (key, ...rest) => {
      // Large files go in parts, which must be taken back when one fails.
      need('s3:PutObject', key)
      if (!key.startsWith('uploads/')) need('s3:AbortMultipartUpload', key)
      return store.putFile(key, ...rest)
    },
    putBytes: async (key, ...rest) => {
      need('s3:PutObject', key)
      return store.putBytes(key, ...rest)
    },
    createBytes: async (key, ...rest) => {
      need('s3:PutObject', key)
      // Asked when the answer to an earlier try got lost.
      need('s3:GetObject', key)
      return store.createBytes(key, ...rest)
    },
    get: (key) => read(key, () => store.get(key)),
    open: (key, range) => read(key, () => store.open(key, range)),
    head: (key) => read(key, () => store.head(key)),
    checkOut: (key) => read(key, () => store.checkOut(key)),
    async *list(prefix, after) {
      if (!mayList(prefix)) mayNot(`s3:ListBucket ${prefix}`)
      yield* store.list(prefix, after)
    },
    delete: async (keys) => {
      for (const key of keys) need('s3:DeleteObject', key)
      return store.delete(keys)
    },
    copy: async (from, to, options) => {
      need('s3:GetObject', from)
      need('s3:PutObject', to)
      return store.copy(from, to, options)
    },
    check: async () => {
      need('s3:PutObject', 'check/one')
      need('s3:DeleteObject', 'check/one')
      return store.check()
    },
  }
}

type Statement = {
  readonly Action: readonly string[]
  readonly Resource: { readonly 'Fn::Join'?: readonly [string, readonly [unknown, string]] }
  readonly Condition?: { readonly StringLike: { readonly 's3:prefix': readonly string[] } }
}
type Policy = {
  readonly PolicyName: string
  readonly PolicyDocument: { readonly Statement: readonly Statement[] }
}

function grantsOf({ Action, Resource, Condition }: Statement): string[] {
  const objects = Resource['Fn::Join']?.[1][1].replace(/^\/(.*)\*$/, '$1')
  const where = Condition ? Condition.StringLike['s3:prefix'] : [objects ?? '(no objects)']
  return Action.flatMap((action) => where.map((place) => `${action} ${place}`))
}

function listPattern(grant: string): RegExp | undefined {
  const pattern = /^s3:ListBucket (.*)$/.exec(grant)?.[1]
  return pattern === undefined
    ? undefined
    : new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`)
}
