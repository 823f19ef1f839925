// Package sweep runs experiments: it expands an experiment file to points, runs those without a result in worker
// processes or as a job array of a cluster, and collects rows.
//
// Each finished point is a record in a folder, written by rename, under a digest of its inputs and of the simulator. A
// point with a record is not run again, however the sweep ended before. So there is no other state: the same command
// resumes.
//
// Away from this computer, points run as tasks of a bundle (bundle.go): an archive of points and of all files that they
// read. A task (task.go) leaves one file of rows (rowsfile.go), and a merge (merge.go) turns rows into records. Job arrays
// (array.go) are such tasks that a cluster starts.
//
// It knows neither how a point is simulated (a Simulate function, called in the worker, does that) nor how figures are
// drawn.
package sweep
