/** Looking into a motion photo and taking it apart. @see core/media/README.md */

export { animate } from './photo/apart/animate'
export { describeInspection, type InspectionSummary, recognisedBy } from './photo/apart/describeInspection'
export { type Animation, EXTRACTS, extractFile, stripFile } from './photo/apart/extractFile'
export { repairFile } from './photo/apart/repairFile'
