package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"

	"spvsim/internal/files"
)

// Cluster is a profile of a cluster: the resources of a job array, and the commands of a cluster without Slurm.
type Cluster struct {
	Partition   string   `yaml:"partition" doc:"partition; left out: the default of the cluster"`
	Account     string   `yaml:"account" doc:"account to charge; left out: the default of the user"`
	Chunk       int      `yaml:"chunk" range:"1..100000" unit:"points" doc:"points of one task, which run one after the other"`
	Running     int      `yaml:"running" range:"0..100000" unit:"tasks" doc:"most tasks that run at the same time; 0: as many as the cluster gives"`
	CPUs        int      `yaml:"cpus" range:"1..1024" unit:"CPUs" doc:"CPUs of each task, which runs as many points at a time"`
	MemoryMB    int      `yaml:"memory_mb" range:"0..16777216" unit:"MB" doc:"memory of each task; 0: the default of the partition"`
	TimeMinutes int      `yaml:"time_minutes" range:"0..1000000" unit:"minutes" doc:"time limit of each task; 0: the limit of the partition"`
	Flags       []string `yaml:"flags" doc:"further flags of sbatch, such as --qos=low, or further lines of HTCondor's submit description, such as +WantGlidein = true"`
	Setup       []string `yaml:"setup" doc:"shell lines that each task runs first, such as module load go"`
	Command     string   `yaml:"command" doc:"path of spvsim on the nodes, or in the container; left out: the path of this program, which HTCondor copies to the node"`
	Container   string   `yaml:"container" doc:"Apptainer image that tasks run in: a file that nodes see, or an address that apptainer exec takes; HTCondor copies a file to the node; left out: none"`
	Attempts    int      `yaml:"attempts" range:"1..100" doc:"how many times points without a result are submitted, including the first time"`
	Submit      string   `yaml:"submit" doc:"for --launcher command: shell line that submits the tasks 0 to $SPVSIM_LAST ($SPVSIM_TASKS of them), each of which runs $SPVSIM_SCRIPT, as a job named $SPVSIM_NAME"`
	Index       string   `yaml:"index" doc:"number of the task, from 0, as a shell expression in the task: ${PBS_ARRAY_INDEX:-0}, $((LSB_JOBINDEX - 1)), or $1 for an argument"`
	Queue       string   `yaml:"queue" doc:"shell line that prints something while tasks have not ended; $SPVSIM_ID is the last line that submit printed; left out: submit itself ends when the tasks have ended"`
	PollSeconds float64  `yaml:"poll_seconds" range:"0.1..3600" unit:"seconds" doc:"time between two looks at the queue"`
}

// DefaultCluster returns the defaults of a profile: the resources of one simulation.
func DefaultCluster() *Cluster {
	return &Cluster{Chunk: 1, CPUs: 1, Attempts: 3, PollSeconds: 2}
}

// CheckCommands checks a profile for --launcher command: it needs the commands, and none of the keys that only Slurm
// reads.
func (c *Cluster) CheckCommands() error {
	if c.Submit == "" || c.Index == "" {
		return fmt.Errorf("%w: found a profile without submit or index: want both for --launcher command (spvsim schema cluster lists the keys)", ErrMissing)
	}
	asks := map[string]bool{
		"partition": c.Partition != "", "account": c.Account != "", "running": c.Running > 0, "cpus": c.CPUs != DefaultCluster().CPUs,
		"memory_mb": c.MemoryMB > 0, "time_minutes": c.TimeMinutes > 0, "flags": len(c.Flags) > 0,
	}
	for _, name := range slices.Sorted(maps.Keys(asks)) {
		if asks[name] {
			return fmt.Errorf("%w: found %s, which is for --launcher slurm: want it in the line of submit", ErrUnknownKey, name)
		}
	}
	return nil
}

// CheckWithoutCommands refuses the commands: the launcher has its own.
func (c *Cluster) CheckWithoutCommands(launcher string) error {
	if c.Submit != "" || c.Index != "" || c.Queue != "" {
		return fmt.Errorf("%w: found submit, index or queue, which are for --launcher command: want none of them for %s", ErrUnknownKey, launcher)
	}
	return nil
}

// CheckCondor is CheckWithoutCommands for HTCondor, which has no partitions.
func (c *Cluster) CheckCondor() error {
	if c.Partition != "" {
		return fmt.Errorf("%w: found partition, which HTCondor lacks: want a line of flags, such as requirements = Machine == \"name\"", ErrUnknownKey)
	}
	return c.CheckWithoutCommands("condor")
}

// LoadCluster reads and checks a profile in fsys (nil: that of package files). Missing keys are as in DefaultCluster.
func LoadCluster(fsys fs.FS, name string) (*Cluster, error) {
	if fsys == nil {
		fsys = files.OS()
	}
	data, err := readLimited(fsys, name, maxFileBytes)
	if err != nil {
		return nil, err
	}
	n, err := parseYAML(name, data)
	if err != nil {
		return nil, err
	}
	if err := checkKind(n, name, "cluster"); err != nil {
		return nil, err
	}
	r := newReader(name, noSources, reflect.TypeFor[Cluster]())
	tree, _ := r.value(n, r.root, "", noSources).(map[string]any)
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	c := reflect.ValueOf(DefaultCluster()).Elem()
	for _, f := range fieldsOf(c.Type()) {
		if v, ok := tree[f.Name]; ok {
			assign(c.FieldByIndex(f.Index), v)
		}
	}
	return c.Addr().Interface().(*Cluster), withPositions(checkStruct(c, ""), r.positions)
}
