/** What other packages may use. @see core/room/README.md */

export { diagnose } from './diagnose'
export { type Diagnosis, type DoctorDependencies, WAYS } from './diagnosis'
