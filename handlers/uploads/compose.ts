import { createWorkFolders } from '../../core/adapters/files/workFolders'
import { createStorageQuota } from '../../core/media/storageQuota'
import { createUploads } from '../../core/media/uploads/uploads'
import type { FunctionDependencies } from '../compose'

/** What functions need that receive files, or read files that were uploaded before. */
export function composeUploads(shared: FunctionDependencies) {
  const workFolders = createWorkFolders({ folder: shared.workFolder })
  return {
    ...shared,
    workFolders,
    uploads: createUploads(shared),
    quota: createStorageQuota({ ...shared, workFolders }),
  }
}
